/** int64: no store accepts a larger number, not even in a query. */
export const maxPosition = 2n ** 63n - 1n;

/** Undefined for any other text. */
export function parsePosition(text: string): bigint | undefined {
  if (!/^\d{1,19}$/.test(text)) return undefined;
  const position = BigInt(text);
  return position > maxPosition ? undefined : position;
}
