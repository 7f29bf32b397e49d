import { z } from 'zod';
import { setting } from './setting.js';

/** End of a message. A text that may have a password or a token in it is not printed. */
export const found = (verb: 'is' | 'has' | 'holds', text: unknown): string =>
  /[@?#]/.test(String(text)) ? '' : `, but ${verb} '${text}'`;

/** Schema with one message for the texts that are not valid. Another schema names a part of the text, or does not repeat a secret. */
export const valid = <Value>(what: string, schema: z.ZodType<Value, string>) =>
  z.string().transform((text, { addIssue }) => {
    const { success, data } = schema.safeParse(text);
    if (success) return data;
    addIssue(`must be ${what}${found('is', text)}`);
    return z.NEVER;
  });

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90d`, `1h`, `15m`, `120s`, `500ms`; a number alone is seconds. NaN if the text is no duration. */
function durationMs(text: string): number {
  const [, number, unit = 's'] = /^(\d+)\s*(ms|s|m|h|d)?$/.exec(text) ?? [];
  return Number(number) * (units[unit] ?? Number.NaN);
}

/** Milliseconds. */
export const milliseconds = (min: string, max: string) =>
  z
    .string()
    .transform(durationMs)
    .pipe(z.number().min(durationMs(min)).max(durationMs(max)));

export const durationWithin = (min: string, max: string, example = max) =>
  valid(`a duration from ${min} to ${max}, such as ${example}`, milliseconds(min, max));

type RulesOf<Value> = Parameters<typeof setting<Value>>[2];

export const duration = (name: string, min: string, max: string, otherwise: string, rules?: RulesOf<number>) =>
  setting(name, durationWithin(min, max, otherwise).prefault(otherwise), rules);

const digits = z.string().regex(/^\d+$/).transform(Number);

export const integer = (min: number, max: number) =>
  valid(`a whole number from ${min} to ${max}`, digits.pipe(z.number().min(min).max(max)));

export const choice = <const Choice extends string>(...choices: readonly Choice[]) =>
  valid(choices.join(' or '), z.enum(choices));

export const trueOrFalse = choice('true', 'false').transform((text) => text === 'true');

export const flag = (name: string, rules?: RulesOf<boolean>) => setting(name, trueOrFalse.prefault('false'), rules);

/** Undefined for `off`. */
export const orOff = <Value>(what: string, schema: z.ZodType<Value, string>) =>
  valid(`${what}, or off`, z.union([z.literal('off').transform(() => undefined), schema]));

export const parts = (separator: string) =>
  z.string().transform((text) => text.split(separator).map((part) => part.trim()));

/** The parts of a text between commas. */
export const list = <Item>(item: z.ZodType<Item, string>) =>
  parts(',')
    .pipe(z.array(item))
    .transform((items): readonly Item[] => items);

/** Schema whose message does not repeat the text, since it may contain secrets. Other messages about an entry of a record name its key. */
export const json = <Value>(what: string, schema: z.ZodType<Value>) =>
  z.string().transform((text, { addIssue }) => {
    const form = `must be ${what}`;
    const { data, error } = schema.safeParse(parsed(text), { error: () => form });
    if (!error) return data;
    for (const { path, message } of error.issues)
      addIssue(schema instanceof z.ZodRecord && path[0] && message !== form ? ofEntry(path[0], message) : message);
    return z.NEVER;
  });

function ofEntry(key: PropertyKey, message: string): string {
  const ofRecord = message.replace(/^must be /, 'must have ').replace(/ in it$/, ' in the URL');
  const [demand, ...values] = ofRecord.split(/, but (?:is|has) /);
  return [`${demand} for ${String(key)}`, ...values].join(', but has ');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const urlOf = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined);

const hasUserInfo = (url: URL | undefined): boolean => `${url?.username ?? ''}${url?.password ?? ''}` !== '';

/** Text of the URL, as it is given. */
export const httpUrl = z
  .string()
  .refine((text) => !hasUserInfo(urlOf(text)), { error: 'must have no user name and no password in it', abort: true })
  .refine((text) => /^https?:$/.test(urlOf(text)?.protocol ?? ''), {
    error: ({ input }) => `must be an http or https URL${found('is', input)}`,
    abort: true,
  });

/** A single address is the range that holds only this address. */
export const cidr = z.union(
  [
    z.cidrv4(),
    z.cidrv6(),
    z.ipv4().transform((address) => `${address}/32`),
    z.ipv6().transform((address) => `${address}/128`),
  ],
  { error: ({ input }) => `must be CIDR ranges such as 10.0.0.0/8${found('holds', input)}` },
);
