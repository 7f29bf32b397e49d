/** Whether parsed JSON holds what it was written with: 1e400 is JSON too, and is read as Infinity, which is not. */
export const holdsOnlyFiniteNumbers = (value: unknown): boolean => {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(holdsOnlyFiniteNumbers);
};
