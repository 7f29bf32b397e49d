import { z } from 'zod';

/** Reads the text of an environment variable; undefined: it is not given. */
export type Setting<Value> = z.ZodType<Value, string | undefined>;

/** Value of another setting in the same environment. */
export type Given = <Value>(other: Setting<Value>) => Value;

/** True for another setting that is given, even if its value is not valid. */
export type IsGiven = (other: Setting<unknown>) => boolean;

type Rules<Value> = {
  /** Text of the value in development mode, unless one is given. */
  inDevelopment?: string;
  /** Problem of the value beside those of other settings. */
  problem?: (value: Value, given: Given, isGiven: IsGiven) => string | false | undefined;
  /** Protection that a value voids in production mode, where `UNSAFE` has to name the setting. */
  voids?: (value: Value) => string | false;
  /** Another name of the setting in `UNSAFE`. */
  permittedAs?: string;
};

const declared = new WeakMap<z.core.$ZodType, { name: string } & Rules<never>>();

/** Declares an environment variable. The settings of a module are an object of such schemas and of further objects. */
export function setting<Value>(
  name: string,
  schema: Setting<Value>,
  rules: Rules<NoInfer<Value>> = {},
): Setting<Value> {
  const own = schema.clone(); // so that settings may share a schema
  declared.set(own, { name, ...rules });
  return own;
}

export const settingOf = (schema: z.core.$ZodType) => declared.get(schema);

export const mode = setting(
  'MODE',
  z
    .enum(['development', 'production'], {
      error: ({ input }) => `must be development or production, but is '${input}'`,
    })
    .prefault('development'),
);

export type Mode = z.output<typeof mode>;

/** Production mode needs a value, in words; `unless`: with other settings it does not. */
export const needed =
  (what: string, unless: (isGiven: IsGiven) => boolean = () => false) =>
  (value: unknown, given: Given, isGiven: IsGiven) =>
    value === undefined && given(mode) === 'production' && !unless(isGiven) && `is needed in production mode: ${what}`;

/** A setting without which another has no meaning. */
export const neededWith = (other: Setting<unknown>) => (value: unknown, _: Given, isGiven: IsGiven) =>
  value === undefined && isGiven(other) && `is needed where ${settingOf(other)?.name} is set`;
