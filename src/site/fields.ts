import { InvalidRequest } from '../kernel/domain-error.js';
import { parseJson } from '../kernel/input/exact-json.js';

/** An empty field counts as absent: forms send all their fields. */
export type Fields = {
  /** The first value. */
  text: (name: string) => string | undefined;
  /** All values of a name, such as those of ticked check boxes. */
  all: (name: string) => readonly string[];
  /** All that were given, in their order. */
  entries: () => readonly (readonly [name: string, values: readonly string[]])[];
  /** The given fields among these names. */
  pick: (...names: readonly string[]) => Record<string, string>;
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
    entries: () => [...given],
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

/** A number of a form; undefined if the field is empty. Throws `InvalidRequest`. */
export function numberField(form: Fields, name: string): number | undefined {
  const text = form.text(name)?.trim();
  if (text === undefined || text === '') return undefined;
  const value = Number(text);
  if (!Number.isFinite(value)) throw new InvalidRequest(`${name}: must be a number`);
  return value;
}

/** The value of a field with JSON; undefined if it is empty. Throws `InvalidRequest`. */
export function jsonField(form: Fields, name: string): unknown {
  const text = form.text(name)?.trim();
  if (text === undefined || text === '') return undefined;
  try {
    return parseJson(text);
  } catch (error) {
    throw new InvalidRequest(`${name}: is not valid JSON: ${(error as Error).message}`); // a SyntaxError
  }
}

/** A `datetime-local` value, which has no zone, as ISO 8601 in UTC. Other texts stay. */
export const utcInstant = (text: string | undefined): string | undefined =>
  text !== undefined && /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/.test(text)
    ? `${text.length === 16 ? `${text}:00` : text}Z`
    : text;
