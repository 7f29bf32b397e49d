/** Positions and revisions are int64: no store accepts a larger number, not even in a query. */
export const maxPosition = 2n ** 63n - 1n;

/** Parses a position or revision; undefined if the text is not one. */
export function parsePosition(text: string): bigint | undefined {
  if (!/^\d{1,19}$/.test(text)) return undefined;
  const position = BigInt(text);
  return position > maxPosition ? undefined : position;
}
