/**
 * Fields of lookups and patches become part of queries. Throws `RangeError` for an invalid name, a programming error.
 */
export function fieldName(field: string): string {
  if (!/^[A-Za-z_]\w*$/.test(field)) throw new RangeError(`${field} is not a name for a field`);
  return field;
}
