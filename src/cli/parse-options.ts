import type { z } from 'zod';
import type { AnyAdminRoute } from '../admin/api/routing/admin-route.js';
import { parseInput } from '../kernel/input/parse-input.js';

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
  subscriptionType: 'type',
  states: 'state',
  sessionId: 'session',
  expiresInSeconds: 'expiresIn',
  sessionMinutes: 'session',
  confirm: 'yes',
};

/** Name of the value of a field's option: `hookUrl` of `--hook-url`. */
export const attributeOf = (field: string): string => optionsByField[field] ?? field;

/** Name of the option of a field, without the hyphens. */
export const optionNameOf = (field: string): string =>
  attributeOf(field).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

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
  const values = names.map((name) => [name, fields[Object.hasOwn(fields, name) ? name : attributeOf(name)]]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

const optionAt = (path: readonly PropertyKey[]): string =>
  `--${optionNameOf(String(path.findLast((part) => typeof part === 'string')))}`;
