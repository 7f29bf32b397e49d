/** Damaged builds of a view that are set aside within `withinMs`, and that are kept. */
const most = 3;

/** Repeated damage is no accident: rebuilding does not help. */
const withinMs = 3_600_000;

/** Time for an examination of the damage; no longer, since they may be personal data. */
export const keepSetAsideMs = 7 * 24 * 3_600_000;

/** `since`: milliseconds since 1970, or a date. */
type SetAside = { since: number | Date };

/** `earlier`: those of the same view. */
export const maySetAside = (earlier: readonly SetAside[], now: number): boolean =>
  earlier.filter(({ since }) => now - Number(since) < withinMs).length < most;

/** Removed when one more is set aside. `earlier`: those of the same view, oldest first. */
export const toRemove = <Build extends SetAside>(earlier: readonly Build[]): readonly Build[] =>
  earlier.slice(0, -(most - 1));

/** Selects builds older than `olderThanMs`: one that still counts against the limit is emptied, any other removed. */
export function toClear<Build extends SetAside>(
  builds: readonly Build[],
  { olderThanMs, now }: { olderThanMs: number; now: number },
): { emptied: readonly Build[]; removed: readonly Build[] } {
  const ageMs = ({ since }: Build) => now - Number(since);
  const old = builds.filter((build) => ageMs(build) >= olderThanMs);
  return {
    emptied: old.filter((build) => ageMs(build) < withinMs),
    removed: old.filter((build) => ageMs(build) >= withinMs),
  };
}
