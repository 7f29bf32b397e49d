import { z } from 'zod';
import { codecFor, defineEvent, type EventOf } from '../stores/event-store/codec.js';

const consent = {
  consentId: z.uuid(),
  clientId: z.string(),
  orgId: z.string(),
  userId: z.string(),
  scopes: z.array(z.string()),
  /** ISO 8601; time of the latest consent. */
  grantedAt: z.string(),
};

const consentEvent = <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  defineEvent({ category: 'consent', type, version: 1, schema: z.object({ ...consent, ...shape }) });

export const ConsentGranted = consentEvent('ConsentGranted', {});
const ConsentWithdrawn = consentEvent('ConsentWithdrawn', { withdrawnAt: z.string() });

const consentEvents = [ConsentGranted, ConsentWithdrawn] as const;

export type ConsentEvent = EventOf<(typeof consentEvents)[number]>;

export const consentCodec = codecFor(consentEvents);
