import { z } from 'zod';
import { codecFor, defineEvent, type EventOf } from '../event-store/codec.js';

/**
 * What every listener event says, so that the last one alone is enough for the next decision.
 * `since` is the revision of the event that began the period which this event changes or ends (its own revision where it
 * begins the first one): a period is a stretch in which who is registered, and for what, stays the same.
 */
const registration = {
  listenerId: z.uuid(),
  orgId: z.string(),
  userId: z.string(),
  /** WHATWG `href` without the fragment. */
  hookUrl: z.string(),
  subscriptionType: z.string(),
  /** The master key that the signing secret is derived under, and which of its secrets, from 1. */
  keyGeneration: z.string(),
  secretVersion: z.int().positive(),
};

const since = z.string().regex(/^\d+$/);

const listenerEvent = <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  defineEvent({ category: 'listener', type, version: 1, schema: z.object({ ...registration, ...shape }) });

export const ListenerSubscribed = listenerEvent('ListenerSubscribed', {});
export const ListenerSubscriptionChanged = listenerEvent('ListenerSubscriptionChanged', {
  previousSubscriptionType: z.string(),
  since,
});
export const ListenerSecretRotated = listenerEvent('ListenerSecretRotated', { paused: z.boolean(), since });
export const ListenerPaused = listenerEvent('ListenerPaused', { reason: z.string(), since });
export const ListenerResumed = listenerEvent('ListenerResumed', { since });
export const ListenerUnsubscribed = listenerEvent('ListenerUnsubscribed', {
  /** `requested` by the platform, `gone` (410), `operator`. */
  reason: z.enum(['requested', 'gone', 'operator']),
  since,
});

export const listenerEvents = [
  ListenerSubscribed,
  ListenerSubscriptionChanged,
  ListenerSecretRotated,
  ListenerPaused,
  ListenerResumed,
  ListenerUnsubscribed,
] as const;

export type ListenerEvent = EventOf<(typeof listenerEvents)[number]>;

export const listenerCodec = codecFor(listenerEvents, { unknown: 'fail' });
