/** Far below the depth that overflows a JSON serialiser's stack. */
export const maxNesting = 100;

/** Depth of a number: 0, of `[1]`: 1, of `{"a": [1]}`: 2. */
export const isNestedWithin = (levels: number, value: unknown): boolean => {
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return true;
  return levels > 0 && Object.values(value).every((part) => isNestedWithin(levels - 1, part));
};
