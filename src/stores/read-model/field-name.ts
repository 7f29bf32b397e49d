/** Fields that are looked up or patched become part of queries. Throws `RangeError` where one cannot: a mistake of ours. */
export function fieldName(field: string): string {
  if (!/^[A-Za-z_]\w*$/.test(field)) throw new RangeError(`${field} is not a name for a field`);
  return field;
}
