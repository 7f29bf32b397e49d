import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { InvalidRequest } from '../kernel/domain-error.js';
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

/** Parses options with a schema of a request's fields. Throws `InvalidRequest`, which names each invalid option. */
export function parseOptions<const Shape extends z.ZodRawShape>(
  shape: Shape,
  options: object,
): z.output<z.ZodObject<Shape>> {
  const given = new Map(Object.entries(options));
  const renamed = Object.entries(optionsByField).map(([field, option]) => [field, given.get(option)]);
  return parseInput(z.object(shape), { ...Object.fromEntries(renamed), ...options }, ([field]) =>
    optionNamed(String(field)),
  );
}

const optionNamed = (field: string): string =>
  `--${(optionsByField[field] ?? field).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** The JSON value of an option: `-` reads standard input. Throws `InvalidRequest`. */
export function parseData(text: string): unknown {
  try {
    return JSON.parse(text === '-' ? readFileSync(0, 'utf8') : text);
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
