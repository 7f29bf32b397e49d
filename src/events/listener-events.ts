import { z } from 'zod';
import { codecFor, defineEvent, type EventOf } from '../stores/event-store/codec.js';
import { imported } from './imported.js';

const derivation = {
  /** The master key that it is derived from. */
  keyGeneration: z.string(),
  /** Number from 1. */
  version: z.int().positive(),
  /** Secret that the client gave, encrypted under that master key; absent: it is derived. */
  sealed: z.string().optional(),
};

/** The secret itself is derived or encrypted: see `listeners/signing-secret.ts`. Views and queues carry this whole. */
const signingSecret = z.object({
  ...derivation,
  /** End of the subscription of an agent, unless it is renewed; absent: none. */
  expiresAt: z.iso.datetime().optional(),
  /** Also signs deliveries until then. */
  previous: z.object({ ...derivation, until: z.iso.datetime() }).nullable(),
});

export type SigningSecret = Readonly<z.output<typeof signingSecret>>;

/** Views and queues carry it whole; `listeners/subscription.ts` makes requests, answers and texts. */
export const subscription = z.object({
  subscriptionType: z.string(),
  /** Canonical JSON of MongoDB query operators; null: all events. */
  filter: z.string().nullable(),
  /** JSONata expression; null: the event unchanged. */
  transform: z.string().nullable(),
  ordered: z.boolean(),
  /** Null: the service's limit. */
  ratePerSecond: z.number().positive().nullable(),
  description: z.string().nullable(),
  /** Deliveries also have a signature by the private key beside the secret. */
  signedWithKeyPair: z.boolean(),
});

export type Subscription = Readonly<z.output<typeof subscription>>;

/**
 * Absent: a platform's listener. The session and client with which an agent's host subscribed. `cursor`: place in the feed with which it came
 * back; absent: none.
 */
const agent = z.object({
  clientId: z.string().nullable(),
  sessionId: z.uuid().nullable(),
  cursor: z.string().optional(),
});

/**
 * Whole state, as in the events of the other categories: the last event is enough for the next decision. `since`:
 * revision of the event that began the period which this event changes or ends.
 */
const details = {
  listenerId: z.uuid(),
  orgId: z.string(),
  userId: z.string(),
  /** WHATWG `href` without the fragment. */
  hookUrl: z.string(),
  subscription,
  secret: signingSecret,
  /**
   * Failed attempts since the start or a resumption, and the share of the time until a pause that has passed; null: none
   * recorded.
   */
  failing: z
    .object({
      since: z.iso.datetime(),
      failures: z.int().nonnegative(),
      percent: z.int().min(0).max(100),
    })
    .nullable(),
  agent: agent.optional(),
};

/** Revision of the event that began the period; `failing.since` is a time. */
const since = z.string().regex(/^\d+$/);

const listenerEvent = <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  defineEvent({ category: 'listener', type, version: 1, schema: z.object({ ...details, ...shape }) });

export const ListenerSubscribed = listenerEvent('ListenerSubscribed', { imported: imported.optional() });
/** Recorded for a change by the platform, or of order and rate by an operator. The period of a paused listener continues. */
const ListenerSubscriptionChanged = listenerEvent('ListenerSubscriptionChanged', {
  previous: subscription,
  paused: z.boolean(),
  since,
});
const ListenerSecretRotated = listenerEvent('ListenerSecretRotated', { paused: z.boolean(), since });
/** A later end of the subscription of an agent. */
const ListenerRenewed = listenerEvent('ListenerRenewed', { paused: z.boolean(), since });
/** Once for each step of a period without success. */
const ListenerFailing = defineEvent({
  category: 'listener',
  type: 'ListenerFailing',
  version: 1,
  schema: z.object({ ...details, failing: details.failing.unwrap(), since }),
});
const ListenerPaused = listenerEvent('ListenerPaused', {
  reason: z.enum(['operator', 'failing']),
  since,
});
const ListenerResumed = listenerEvent('ListenerResumed', {
  since,
  /** Held deliveries are redelivered before new ones. */
  redeliverHeld: z.literal(true).optional(),
  /** The listener was active: its circuit breaker closes, and its failures do not count any more. */
  circuitClosed: z.literal(true).optional(),
});
const ListenerUnsubscribed = listenerEvent('ListenerUnsubscribed', {
  /**
   * `requested` by the platform or agent; `gone`: answered 410; `operator`: by one, or by a customer; `erased`: with its organisation;
   * `expired`: of an agent that did not renew it.
   */
  reason: z.enum(['requested', 'gone', 'operator', 'erased', 'expired', 'access-revoked']),
  since,
});

export const listenerEvents = [
  ListenerSubscribed,
  ListenerSubscriptionChanged,
  ListenerSecretRotated,
  ListenerRenewed,
  ListenerFailing,
  ListenerPaused,
  ListenerResumed,
  ListenerUnsubscribed,
] as const;

export type ListenerEvent = EventOf<(typeof listenerEvents)[number]>;

export const listenerCodec = codecFor(listenerEvents);

/** `userId`: of the first subscriber. */
export type ListenerDetails = Readonly<z.output<z.ZodObject<typeof details>>>;

export const detailsIn = (data: ListenerDetails): ListenerDetails => {
  const { listenerId, orgId, userId, hookUrl, subscription, secret, failing, agent } = data;
  // Listed, because spreading takes 100 times as long; a rebuild makes millions.
  const details = { listenerId, orgId, userId, hookUrl, subscription, secret, failing };
  return agent === undefined ? details : { ...details, agent };
};
