import { z } from 'zod';
import { codecFor, defineEvent, type EventOf, type Upcast } from '../stores/event-store/codec.js';

const signingSecret = {
  /** The master key that the signing secret is derived under, and which of its secrets, from 1. */
  keyGeneration: z.string(),
  secretVersion: z.int().positive(),
};

const deliveryOptions = {
  /** One delivery at a time, in the order of the flow events. */
  ordered: z.boolean(),
  /** The most deliveries a second; null: what holds for every hook. */
  ratePerSecond: z.number().positive().nullable(),
};

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
  ...signingSecret,
  /** The secret before this one, which deliveries are signed with too until then. */
  previousSecret: z.object({ ...signingSecret, until: z.iso.datetime() }).nullable(),
  ...deliveryOptions,
  /**
   * What was last said of a hook at which nothing succeeds: since when, how many attempts have failed, how much of what
   * pauses it that is. Resuming it begins anew: `since` is then when it was resumed. Null: nothing was ever said.
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

/** Version 1 knew of no order, no rate, no overlap of secrets, and of nothing that fails. */
const fromVersion1: Upcast = (data) => ({
  ...data,
  previousSecret: null,
  ordered: false,
  ratePerSecond: null,
  failing: null,
});

const listenerEvent = <const Type extends string, Shape extends z.ZodRawShape>(
  type: Type,
  shape: Shape,
  upcast: Upcast = fromVersion1,
) =>
  defineEvent({
    ...{ category: 'listener', type, version: 2 },
    schema: z.object({ ...registration, ...shape }),
    upcasts: { 1: upcast },
  });

export const ListenerSubscribed = listenerEvent('ListenerSubscribed', {});
export const ListenerSubscriptionChanged = listenerEvent(
  'ListenerSubscriptionChanged',
  { previous: z.object({ subscriptionType: z.string(), ...deliveryOptions }), since },
  ({ previousSubscriptionType, ...data }) => ({
    ...fromVersion1(data),
    previous: { subscriptionType: previousSubscriptionType ?? null, ordered: false, ratePerSecond: null },
  }),
);
export const ListenerSecretRotated = listenerEvent('ListenerSecretRotated', { paused: z.boolean(), since });
/** Deliveries to it keep failing: see `failing`. Said once for each step of a stretch without success. */
export const ListenerFailing = defineEvent({
  ...{ category: 'listener', type: 'ListenerFailing', version: 1 },
  schema: z.object({ ...registration, failing: registration.failing.unwrap(), since }),
});
export const ListenerPaused = listenerEvent(
  'ListenerPaused',
  {
    /** By an `operator`, or by the service because it is `failing`, as that says. */
    reason: z.enum(['operator', 'failing']),
    since,
  },
  (data) => ({ ...fromVersion1(data), reason: 'operator' }),
);
export const ListenerResumed = listenerEvent('ListenerResumed', {
  since,
  /** What was held of it is delivered too, before what happens from now on. */
  redeliverHeld: z.literal(true).optional(),
});
export const ListenerUnsubscribed = listenerEvent('ListenerUnsubscribed', {
  /** `requested` by the platform, `gone` (410), `operator`. */
  reason: z.enum(['requested', 'gone', 'operator']),
  since,
});

export const listenerEvents = [
  ListenerSubscribed,
  ListenerSubscriptionChanged,
  ListenerSecretRotated,
  ListenerFailing,
  ListenerPaused,
  ListenerResumed,
  ListenerUnsubscribed,
] as const;

export type ListenerEvent = EventOf<(typeof listenerEvents)[number]>;

export const listenerCodec = codecFor(listenerEvents);

/** A hook's registration: what every listener event says of it. `userId` is who registered it first; a repeat by others changes nothing. */
export type Registration = EventOf<typeof ListenerSubscribed>['data'];

/** The registration alone, of an event or of whatever else holds one. */
export const registrationIn = (data: Registration): Registration => {
  const { listenerId, orgId, userId, hookUrl, subscriptionType, keyGeneration, secretVersion } = data;
  const { previousSecret, ordered, ratePerSecond, failing } = data;
  // Not spread from two literals: that is a hundred times as slow, and a rebuild makes millions.
  // biome-ignore format: a line for each field says no more
  return { listenerId, orgId, userId, hookUrl, subscriptionType, keyGeneration, secretVersion, previousSecret, ordered, ratePerSecond, failing };
};
