import { z } from 'zod';
import { codecFor, defineEvent, type EventOf } from '../stores/event-store/codec.js';

const signingSecret = {
  /** The master key that the signing secret is derived from, and the number of the secret, from 1. */
  keyGeneration: z.string(),
  secretVersion: z.int().positive(),
};

const deliveryOptions = {
  /** One delivery at a time, in the order of the flow events. */
  ordered: z.boolean(),
  /** Maximum deliveries per second; null: the limit of the service for each listener. */
  ratePerSecond: z.number().positive().nullable(),
};

/** Which of these flow events: canonical JSON of MongoDB's query operators. Null: all. */
const filter = z.string().nullable();

/** The JSONata expression that makes the body of a delivery. Null: the event as it is. */
const transform = z.string().nullable();

/**
 * The data of every listener event, so that the last event alone is enough for the next decision.
 * `since` is the revision of the event that began the period which this event changes or ends (its own revision where it
 * begins the first one). The listener does not change during a period.
 */
const details = {
  listenerId: z.uuid(),
  orgId: z.string(),
  userId: z.string(),
  /** WHATWG `href` without the fragment. */
  hookUrl: z.string(),
  subscriptionType: z.string(),
  filter,
  transform,
  ...signingSecret,
  /** The previous secret, which deliveries are also signed with until then. */
  previousSecret: z.object({ ...signingSecret, until: z.iso.datetime() }).nullable(),
  ...deliveryOptions,
  /**
   * The last recorded state of a listener whose attempts all fail: since when, the number of failed attempts, and their share
   * of the limit that pauses the listener. Resuming resets it: `since` is then the time of resuming. Null: none recorded.
   */
  failing: z
    .object({
      since: z.iso.datetime(),
      failures: z.int().nonnegative(),
      percent: z.int().min(0).max(100),
    })
    .nullable(),
};

const since = z.string().regex(/^\d+$/);

const listenerEvent = <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  defineEvent({ category: 'listener', type, version: 1, schema: z.object({ ...details, ...shape }) });

export const ListenerSubscribed = listenerEvent('ListenerSubscribed', {});
const ListenerSubscriptionChanged = listenerEvent('ListenerSubscriptionChanged', {
  previous: z.object({ subscriptionType: z.string(), filter, transform, ...deliveryOptions }),
  since,
});
const ListenerSecretRotated = listenerEvent('ListenerSecretRotated', { paused: z.boolean(), since });
/** An operator has changed order or rate. The period goes on: what is registered stays the same. */
const ListenerOptionsChanged = listenerEvent('ListenerOptionsChanged', {
  previous: z.object(deliveryOptions),
  paused: z.boolean(),
  since,
});
/** Deliveries to it keep failing: see `failing`. Recorded once for each step of a period without success. */
const ListenerFailing = defineEvent({
  category: 'listener',
  type: 'ListenerFailing',
  version: 1,
  schema: z.object({ ...details, failing: details.failing.unwrap(), since }),
});
const ListenerPaused = listenerEvent('ListenerPaused', {
  /** By an `operator`, or by the service because of `failing`. */
  reason: z.enum(['operator', 'failing']),
  since,
});
const ListenerResumed = listenerEvent('ListenerResumed', {
  since,
  /** Its held deliveries are delivered too, before new ones. */
  redeliverHeld: z.literal(true).optional(),
});
const ListenerUnsubscribed = listenerEvent('ListenerUnsubscribed', {
  /** `requested` by the platform, `gone` (410), `operator`. */
  reason: z.enum(['requested', 'gone', 'operator']),
  since,
});

export const listenerEvents = [
  ListenerSubscribed,
  ListenerSubscriptionChanged,
  ListenerSecretRotated,
  ListenerOptionsChanged,
  ListenerFailing,
  ListenerPaused,
  ListenerResumed,
  ListenerUnsubscribed,
] as const;

export type ListenerEvent = EventOf<(typeof listenerEvents)[number]>;

export const listenerCodec = codecFor(listenerEvents);

/** A listener. `userId` is the user who registered it first; a repeat by another user changes nothing. */
export type ListenerDetails = EventOf<typeof ListenerSubscribed>['data'];

/** The listener alone, of an event or of another object with its fields. */
export const detailsIn = (data: ListenerDetails): ListenerDetails => {
  const { listenerId, orgId, userId, hookUrl, subscriptionType, filter, transform, keyGeneration, secretVersion } =
    data;
  const { previousSecret, ordered, ratePerSecond, failing } = data;
  // Not spread from two literals: that is a hundred times as slow, and a rebuild makes millions.
  return {
    listenerId,
    orgId,
    userId,
    hookUrl,
    subscriptionType,
    filter,
    transform,
    keyGeneration,
    secretVersion,
    previousSecret,
    ordered,
    ratePerSecond,
    failing,
  };
};
