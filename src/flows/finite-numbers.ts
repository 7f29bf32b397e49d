/** Whether all numbers in parsed JSON are finite: 1e400 is parsed as Infinity, which JSON cannot represent. */
export const holdsOnlyFiniteNumbers = (value: unknown): boolean => {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(holdsOnlyFiniteNumbers);
};
