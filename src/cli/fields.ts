import { readFileSync } from 'node:fs';
import { Option } from 'commander';
import { z } from 'zod';
import type { AnyAdminRoute } from '../admin/api/routing/admin-route.js';
import type { DescribedField } from '../http/described-field.js';
import { InvalidRequest } from '../kernel/domain-error.js';
import { parseJson } from '../kernel/input/exact-json.js';
import { normalisedHookUrl } from '../listeners/hook-url.js';

const maxPage = 1_000;

/** Maximum number of items in a page of a list. */
export function pageSizeOf({ body }: AnyAdminRoute): number {
  const limit = body instanceof z.ZodObject ? body.shape.limit : undefined;
  const number = limit instanceof z.ZodDefault ? limit.unwrap() : limit;
  return number instanceof z.ZodNumber ? (number.maxValue ?? maxPage) : maxPage;
}

/** Texts of times between which events were recorded. */
export const recordedBetween = {
  from: 'only those recorded at this time or later: ISO 8601 with an offset',
  to: 'only those recorded at this time or before',
} as const;

/** Placeholders of texts and lists. */
const placeholders: Readonly<Record<string, string>> = {
  at: 'time|position',
  event: 'id',
  'expires-at': 'time',
  'flow-id': 'id',
  from: 'time',
  'hook-url': 'url',
  id: 'id',
  listener: 'id',
  name: 'name',
  'occurred-at': 'time',
  org: 'organisation',
  'redirect-uri': 'url...',
  replay: 'id',
  revision: 'number',
  searchable: 'paths...',
  session: 'id',
  stream: 'name',
  to: 'time',
  transform: 'jsonata',
  type: 'type',
  user: 'user',
  yes: 'organisation',
};

function placeholderOf(name: string, { type, choices }: DescribedField): string {
  if (type === 'number' || type === 'json') return type;
  return placeholders[name] ?? `${choices ? name : 'text'}${type === 'list' ? '...' : ''}`;
}

/** The options of a field: a flag that stays unchanged where it is left out has a second one, which turns it off. */
export function optionsOf(name: string, field: DescribedField, byDefault?: string): readonly Option[] {
  const { type, choices, isOptional, hasDefault, text } = field;
  if (type === 'flag') {
    const flag = new Option(`--${name}`, text);
    return hasDefault ? [flag] : [flag, new Option(`--no-${name}`, `turns --${name} off`)];
  }
  const option = new Option(`--${name} <${placeholderOf(name, field)}>`, textOf(field, byDefault));
  if (choices) option.choices(choices);
  if (byDefault !== undefined) option.default(byDefault);
  else if (!isOptional) option.makeOptionMandatory();
  return [option];
}

const textOf = ({ type, text, usual }: DescribedField, byDefault: string | undefined): string =>
  [
    text,
    ...(type === 'json' ? ['@file reads a file, - standard input'] : []),
    ...(usual === undefined || byDefault !== undefined ? [] : [`without it ${usual}`]),
  ].join('; ');

/** The value of a field from the text of its option or argument. Throws `InvalidRequest`, which names the option. */
export function parsedValue(name: string, { type, isNullable }: DescribedField, given: unknown): unknown {
  if (typeof given !== 'string') return given;
  if (name === 'hook-url') return normalisedHookUrl(given, `--${name}`);
  if (type === 'json') return jsonOf(`--${name}`, given);
  if (type !== 'number') return given;
  if (given === 'none' && isNullable) return null;
  return given.trim() === '' ? Number.NaN : Number(given);
}

/** The JSON value of an option: `@file` reads a file, `-` standard input. Throws `InvalidRequest`. */
export function jsonOf(option: string, given: string): unknown {
  let text: string | undefined;
  try {
    text = contentOf(given);
    return parseJson(text);
  } catch (error) {
    const what = text === undefined ? 'cannot be read' : 'is not JSON';
    throw new InvalidRequest(`${option} ${what}: ${(error as Error).message}`); // of the file system or the parser
  }
}

const contentOf = (given: string): string => {
  if (given === '-') return readFileSync(0, 'utf8');
  return given.startsWith('@') ? readFileSync(given.slice(1), 'utf8') : given;
};
