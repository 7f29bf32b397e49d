/** Positions and revisions are int64: no store takes a larger number, not even to find nothing there. */
export const maxPosition = 2n ** 63n - 1n;

/** A position or revision that somebody gives as text; undefined where it can be none. */
export function parsePosition(text: string): bigint | undefined {
  if (!/^\d{1,19}$/.test(text)) return undefined;
  const position = BigInt(text);
  return position > maxPosition ? undefined : position;
}
