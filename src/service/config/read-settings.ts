import { z } from 'zod';
import { settingOf } from '../../kernel/settings/setting.js';
import { type Environment, settingText } from './settings.js';

/** A setting whose value voids a protection, and the protection. */
export type UnsafeSetting = { setting: string; voids: string };

/**
 * Returns the values, with the default of each invalid setting; the problems, one for each setting, so that one start shows them all;
 * the names of all settings; those that `UNSAFE` may have, with the name that it permits; and the settings that void a protection in production.
 */
export function readSettings<Schema extends z.ZodType>(schema: Schema, environment: Environment) {
  const isProduction = settingText(environment, 'MODE') === 'production';
  const problems = new Map<string, string>();
  const unsafe = new Map<string, UnsafeSetting>();
  const names = new Set<string>();
  const permissible = new Map<string, string>();

  function reject(name: string, problem: string): void {
    if (!problems.has(name)) problems.set(name, problem);
  }

  function parse<Value>(part: z.core.$ZodType<Value>): { value: Value; problem?: string } {
    const { name = '', inDevelopment } = settingOf(part) ?? {};
    const otherwise = isProduction ? undefined : inDevelopment;
    const { data, error } = z.safeParse(part, settingText(environment, name) ?? otherwise);
    if (!error) return { value: data };
    return { value: z.parse(part, otherwise), problem: error.issues[0]?.message ?? 'is invalid' };
  }

  function readSetting(part: z.core.$ZodType, declared: NonNullable<ReturnType<typeof settingOf>>): unknown {
    const { name, permittedAs = name, problem: problemOf, voids: protectionOf } = declared;
    names.add(name);
    if (protectionOf) permissible.set(name, permittedAs);
    const parsed = parse(part);
    const value = parsed.value as never; // of the type that the rules expect, since they are declared with the schema
    let isJudged = true;
    const problem =
      parsed.problem ??
      problemOf?.(
        value,
        (other) => {
          const { value, problem } = parse(other);
          if (problem !== undefined) isJudged = false;
          return value;
        },
        (other) => settingText(environment, settingOf(other)?.name ?? '') !== undefined,
      );
    if (problem && isJudged) reject(name, problem);
    const voids = isProduction && protectionOf?.(value);
    if (voids) unsafe.set(permittedAs, { setting: permittedAs, voids });
    return value;
  }

  function read(part: z.core.$ZodType): unknown {
    const declared = settingOf(part);
    if (declared) return readSetting(part, declared);
    if (part instanceof z.ZodPipe) return z.parse(part.out, read(part.in));
    if (!(part instanceof z.ZodObject)) throw new TypeError('no schema of settings');
    return Object.fromEntries(Object.entries(part.shape).map(([key, each]) => [key, read(each)]));
  }

  const values = read(schema) as z.output<Schema>; // each part as the schema has returned it
  return { values, problems, reject, names, permissible, unsafe };
}
