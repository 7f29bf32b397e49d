/** An empty field counts as absent: forms send all their fields. */
export type Fields = {
  /** The first value. */
  readonly text: (name: string) => string | undefined;
  /** Such as those of ticked check boxes. */
  readonly all: (name: string) => readonly string[];
  /** The given fields among these names. */
  readonly pick: (...names: readonly string[]) => Record<string, string>;
};

/** Reads what the parsers of queries and of form bodies make; whatever is no text is left out. */
export function fieldsOf(parsed: unknown): Fields {
  const given = new Map<string, readonly string[]>(
    Object.entries(typeof parsed === 'object' && parsed !== null ? parsed : {}).map(([name, value]) => [
      name,
      valuesOf(value).filter((text) => text !== ''),
    ]),
  );
  const all = (name: string) => given.get(name) ?? [];
  const text = (name: string) => all(name)[0];
  return {
    all,
    text,
    pick: (...names) =>
      Object.fromEntries(
        names.flatMap((name) => {
          const value = text(name);
          return value === undefined ? [] : [[name, value]];
        }),
      ),
  };
}

/** The parser of bodies makes an object of a field with many values. */
function valuesOf(value: unknown): readonly string[] {
  const values = typeof value === 'object' && value !== null ? Object.values(value) : [value];
  return values.filter((each) => typeof each === 'string');
}
