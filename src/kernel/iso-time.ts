/** Time in ISO 8601; null: unknown, or not applicable. `ms`: milliseconds since 1970. */
export const isoOrNull = (ms: number | undefined): string | null =>
  ms === undefined ? null : new Date(ms).toISOString();
