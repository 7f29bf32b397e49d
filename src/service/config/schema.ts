import { z } from 'zod';
import { durationMs, type Environment, InvalidSetting, inLargestUnit, settingText } from './settings.js';

// A schema of settings is an object of named settings and of further objects. A transformation of an object reads settings that
// belong together; it judges them only where each of them is valid.

const names = z.registry<{ name: string }>();

/**
 * Schema of a setting's text. `parse` throws an Error whose message follows the name. `otherwise`: the value of a setting
 * that is not given.
 */
export function setting(name: string): Setting<string | undefined>;
export function setting<Value>(name: string, parse: (text: string) => Value): Setting<Value | undefined>;
export function setting<Value>(name: string, parse: (text: string) => Value, otherwise: NoInfer<Value>): Setting<Value>;
export function setting<Value>(name: string, parse?: (text: string) => Value, otherwise?: Value) {
  const schema = z
    .string()
    .optional()
    .transform((text, { addIssue }) => {
      try {
        if (text === undefined) return otherwise;
        return parse ? parse(text) : text;
      } catch (error) {
        addIssue(error instanceof Error ? error.message : String(error));
        return z.NEVER;
      }
    });
  names.add(schema, { name });
  return schema;
}

type Setting<Value> = z.ZodType<Value, string | undefined>;

export const nameOf = (schema: z.ZodType | undefined): string => (schema && names.get(schema)?.name) ?? '';

/** Reads a text by `read`, which returns undefined for another text than `what` describes. */
export const valid =
  <Value>(what: string, read: (text: string) => Value | undefined) =>
  (text: string): Value => {
    const value = read(text);
    if (value === undefined) throw new Error(`must be ${what}, but is '${text}'`);
    return value;
  };

/** Works as `valid`, with undefined for `off`. */
export const orOff =
  <Value>(what: string, read: (text: string) => Value | undefined) =>
  (text: string): Value | undefined =>
    text === 'off' ? undefined : valid(`${what}, or off`, read)(text);

export const choice = <const Choice extends string>(...choices: readonly Choice[]) =>
  valid(choices.join(' or '), (text) => choices.find((each) => each === text));

export const flag = (name: string, otherwise = false) =>
  setting(name, (text) => choice('true', 'false')(text) === 'true', otherwise);

export const wholeNumber = (text: string, min: number, max: number): number | undefined =>
  /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined;

export const integer = (min: number, max: number) =>
  valid(`a whole number from ${min} to ${max}`, (text) => wholeNumber(text, min, max));

/** Milliseconds. The message of the error has an example. */
export const durationWithin = (min: number, max: number, example = max) => {
  const [least, most, such] = [min, max, example].map(inLargestUnit);
  return valid(`a duration from ${least} to ${most}, such as ${such}`, (text) => {
    const ms = durationMs(text);
    return ms >= min && ms <= max ? ms : undefined;
  });
};

export const duration = (name: string, min: number, max: number, otherwise: number) =>
  setting(name, durationWithin(min, max, otherwise), otherwise);

/** The parts of a text between commas. */
export const partsOf = (text: string): readonly string[] => text.split(',').map((part) => part.trim());

/**
 * Returns the values, with the default of each invalid setting; all problems, so that one start shows them, to which
 * `reject` adds one of a setting that has none; and the names of all settings.
 */
export function readSettings<Schema extends z.ZodType>(schema: Schema, environment: Environment) {
  const problems: InvalidSetting[] = [];
  const namesRead = new Set<string>();

  function reject(name: string, problem: string): void {
    if (problems.every((each) => each.setting !== name)) problems.push(new InvalidSetting(name, problem));
  }

  function read(part: z.core.$ZodType): unknown {
    const name = names.get(part)?.name;
    if (name !== undefined) {
      namesRead.add(name);
      const { data, error } = z.safeParse(part, settingText(environment, name));
      if (!error) return data;
      reject(name, error.issues[0]?.message ?? 'is invalid');
      return z.safeParse(part, undefined).data;
    }
    if (part instanceof z.ZodObject)
      return Object.fromEntries(Object.entries(part.shape).map(([key, each]) => [key, read(each)]));
    if (!(part instanceof z.ZodPipe && part.in instanceof z.ZodObject)) throw new TypeError('no schema of settings');
    const before = problems.length;
    const { data, error } = z.safeParse(part.out, read(part.in));
    if (error && problems.length === before)
      for (const { path, message } of error.issues) reject(nameOf(part.in.shape[String(path[0])]), message);
    return data;
  }

  const values = read(schema) as z.output<Schema>; // each part as `safeParse` has returned it
  return { values, problems, reject, names: namesRead };
}
