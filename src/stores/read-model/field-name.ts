/** Fields become part of queries. Throws `RangeError`, a programming error. */
export function fieldName(field: string): string {
  if (!/^[A-Za-z_]\w*$/.test(field)) throw new RangeError(`${field} is not a name for a field`);
  return field;
}
