/** Minimum time between two damaged builds of a view: repeated damage is no accident, and rebuilding does not help. */
const everyMs = 20 * 60_000;

/** Retention of a damaged build for examination; no longer, since it may hold personal data. */
export const keepSetAsideMs = 7 * 24 * 3_600_000;

/** `last`: milliseconds since 1970 when the view was last set aside. */
export const maySetAside = (last: number, now: number): boolean => now - last >= everyMs;
