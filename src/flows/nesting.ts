/** Maximum nesting: deeper than data in practice, and far below the depth that overflows the stack of a JSON serialiser. */
export const maxNesting = 100;

/** Whether parsed JSON is nested at most `levels` deep: a number 0, `[1]` one, `{"a": [1]}` two. */
export const isNestedWithin = (levels: number, value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((part) => isNestedWithin(levels - 1, part));
};
