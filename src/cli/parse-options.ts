import { z } from 'zod';
import { type NameOfPath, parseInput } from '../kernel/parse-input.js';

/** Options as a schema of their fields gives them. Throws `InvalidRequest`, which names each option that is wrong. */
export const parseOptions = <const Shape extends z.ZodRawShape>(
  shape: Shape,
  options: object,
): z.output<z.ZodObject<Shape>> => parseInput(z.object(shape), options, optionNamed);

/** The option that gives the field of a request. */
export const optionNamed: NameOfPath = ([field]) => `--${optionNames[String(field)] ?? String(field)}`;

/** Where they differ from the fields. */
const optionNames: Readonly<Record<string, string>> = {
  orgId: 'org',
  listenerId: 'listener',
  eventId: 'event',
  hookUrl: 'hook-url',
  flowId: 'flow-id',
  occurredAt: 'occurred-at',
  ratePerSecond: 'rate',
};
