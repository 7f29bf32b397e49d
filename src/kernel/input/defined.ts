/** The fields that are not undefined, for a reader that distinguishes undefined fields from absent ones. */
export const defined = <Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]: Exclude<Fields[Name], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never; // omits only these
