import { z } from 'zod';
import { listenerIdParameter, opaqueId, uuidParameter } from '../../kernel/input/texts.js';
import { timestamp } from '../../kernel/input/times.js';
import { type DeliveryState, deliveryStates } from '../../queue/delivery.js';

export const deliveryState = z.enum(deliveryStates, { error: `must be one of: ${deliveryStates.join(', ')}` });

/** A time, as milliseconds since 1970. */
export const instant = timestamp.transform((text) => Date.parse(text));

/** Which deliveries of an organisation are meant, over HTTP and on the command line. */
export const deliveryFilter = {
  // A hook URL is a capability and never in a query, which lands in access logs: its listener ID names it.
  listenerId: listenerIdParameter.optional(),
  eventId: opaqueId.optional(),
  replay: uuidParameter('must be the ID of a replay').optional(),
  type: z.string().min(1).max(128).optional(),
  error: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe('The result of the last attempt: a status such as `503`, a class such as `connect_timeout`, or `any`.'),
  from: instant.optional(),
  to: instant.optional(),
  after: z.string().max(512).optional(),
};

const day = z.iso.date({ error: 'must be a day such as 2026-01-31' }).optional();

/** Whose attempts are counted, and on which days (UTC): see `statsDays`. */
export const statsRequest = {
  orgId: opaqueId,
  listenerId: listenerIdParameter.optional(),
  from: day,
  to: day,
};

export const redeliveredStates = z.array(deliveryState).min(1).optional();

/** The states that are redelivered by default. */
export const deadLetters: readonly DeliveryState[] = ['exhausted'];
