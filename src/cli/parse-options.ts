import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import type { AnyAdminRoute } from '../admin/api/routing/admin-route.js';
import { InvalidRequest } from '../kernel/domain-error.js';
import { parseJson } from '../kernel/input/exact-json.js';
import { parseInput } from '../kernel/input/parse-input.js';
import { subscriptionRequest } from '../listeners/subscription.js';
import { UsageError } from './failure.js';

/** The options of fields whose names differ. */
const optionsByField: Readonly<Record<string, string>> = {
  orgId: 'org',
  userId: 'user',
  listenerId: 'listener',
  eventId: 'event',
  ratePerSecond: 'rate',
  clientId: 'id',
  redirectUris: 'redirectUri',
  scopes: 'scope',
  eventTypeCheck: 'eventTypes',
};

type Fields = Readonly<Record<string, unknown>>;

/**
 * The request of a route with these fields, each under its own name or that of its option. Throws `InvalidRequest`, which names the
 * options that are not valid: the service would name its fields.
 */
export function requestOf({ params, query, body }: AnyAdminRoute, fields: Fields) {
  const part = (schema: z.ZodObject | undefined, texts: boolean): Fields => {
    if (!schema) return {};
    const values = valuesOf(Object.keys(schema.shape), fields);
    const sent = texts ? Object.fromEntries(Object.entries(values).map(([name, value]) => [name, `${value}`])) : values;
    parseInput(schema, sent, optionAt);
    return sent;
  };
  return { params: part(params, true), query: part(query, true), body: part(body as z.ZodObject | undefined, false) };
}

function valuesOf(names: readonly string[], fields: Fields): Fields {
  const values = names.map((name) => [
    name,
    fields[Object.hasOwn(fields, name) ? name : (optionsByField[name] ?? name)],
  ]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

const optionAt = (path: readonly PropertyKey[]): string => {
  const field = String(path.findLast((part) => typeof part === 'string'));
  return `--${(optionsByField[field] ?? field).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
};

/** The JSON value of an option: `-` reads standard input. Throws `InvalidRequest`. */
export function parseData(text: string): unknown {
  try {
    return parseJson(text === '-' ? readFileSync(0, 'utf8') : text);
  } catch {
    throw new InvalidRequest('--data is not JSON');
  }
}

/** The value of `--rate`, deliveries per second: null for `none`, undefined without the option. Throws `UsageError`. */
export function parseRate(text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === 'none') return null;
  const rate = subscriptionRequest.ratePerSecond.safeParse(text.trim() === '' ? Number.NaN : Number(text));
  if (!rate.success) throw new UsageError(`--rate ${rate.error.issues[0]?.message}, or none`);
  return rate.data ?? null;
}
