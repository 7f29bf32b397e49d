import { z } from 'zod';
import { type NameOfPath, parseInput } from '../kernel/input/parse-input.js';

/** Parses options with a schema of their fields. Throws `InvalidRequest`, which names each invalid option. */
export const parseOptions = <const Shape extends z.ZodRawShape>(
  shape: Shape,
  options: object,
): z.output<z.ZodObject<Shape>> => parseInput(z.object(shape), options, optionNamed);

/** The option of a request's field. */
export const optionNamed: NameOfPath = ([field]) => `--${optionNames[String(field)] ?? String(field)}`;

/** Options whose names differ from their fields. */
const optionNames: Readonly<Record<string, string>> = {
  orgId: 'org',
  userId: 'user',
  listenerId: 'listener',
  eventId: 'event',
  hookUrl: 'hook-url',
  flowId: 'flow-id',
  occurredAt: 'occurred-at',
  ratePerSecond: 'rate',
  clientId: 'id',
  redirectUris: 'redirect-uri',
  scopes: 'scope',
  expiresAt: 'expires-at',
  eventTypeCheck: 'event-types',
};
