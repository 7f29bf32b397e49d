/** Whether all numbers in parsed JSON are finite: 1e400 is valid JSON but is parsed as Infinity, which cannot be written again. */
export const holdsOnlyFiniteNumbers = (value: unknown): boolean => {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(holdsOnlyFiniteNumbers);
};
