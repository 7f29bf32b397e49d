import type { SigningSecret, Subscription } from '../events/listener-events.js';

/**
 * `waiting`: for its due time, or leased. `held`: by a pause of its listener, until it is redelivered. `exhausted`: the
 * dead letters.
 */
export type DeliveryState = (typeof deliveryStates)[number];

export const deliveryStates = ['waiting', 'held', 'succeeded', 'exhausted', 'cancelled'] as const;

/**
 * `body` is made once and sent byte for byte the same at every attempt. An event without deliveries has no body, and is
 * kept so that it is found by its ID.
 */
export type Message = {
  eventId: string;
  /** The id that its publisher and its receivers know: the `id` of the body. Undefined of old events without one. */
  publishedId?: string;
  orgId: string;
  type: string;
  position: bigint;
  body: string | null;
  /** Time of the flow event, milliseconds since 1970; undefined for a test delivery. */
  recordedAt: number | undefined;
  /** Texts by which the event is found, with their beginnings: see `searchTermsOf`. */
  terms?: readonly string[];
  /** W3C Trace Context; kept as long as the body. */
  traceparent?: string;
};

/** The listener with the latest `position` replaces the others of its ID. */
export type QueuedListener = {
  listenerId: string;
  orgId: string;
  hookUrl: string;
  subscription: Subscription;
  secret: SigningSecret;
  /** Waiting and new deliveries are held. */
  paused: boolean;
  position: bigint;
};

/** Listener to put; `isHealthReset`: its health is forgotten, as after a pause. */
export type PutListener = QueuedListener & { isHealthReset?: boolean };

export type NewDelivery = {
  /** UUIDv5 of organisation, flow event, listener and replay, if any: enqueued again, it stays what it was. */
  id: string;
  /** The same for one event and listener, whatever retries, redeliveries or replays. */
  webhookId: string;
  orgId: string;
  eventId: string;
  listenerId: string;
  replay?: string;
  held?: true;
};

/** The headers of Standard Webhooks 1.0.0 without the signature; the ID is the same for all attempts. */
export const webhookHeaders = (webhookId: string, startedAt: number) => ({
  'content-type': 'application/json',
  'webhook-id': webhookId,
  'webhook-timestamp': String(webhookTimestamp(startedAt)),
});

/** Time in seconds since 1970. */
export const webhookTimestamp = (startedAt: number): number => Math.floor(startedAt / 1_000);

/** A flow or listener event that could not be decoded. It is kept until a retry that an operator requests succeeds. */
export type SetAside = {
  position: bigint;
  stream: string;
  revision: bigint;
  type: string;
  reason: string;
};

export type SetAsideEvent = Pick<SetAside, 'stream' | 'revision'>;

export type SetAsideQuery = {
  event?: SetAsideEvent;
  after?: bigint;
  /** Default: 100. */
  limit?: number;
};

/** The outcome of a retry, or an erasure: without a reason, the event leaves the list. */
export type SetAsideChange = Pick<SetAside, 'position'> & { reason?: string };

/**
 * An event that waits because its organisation has used up its share of the time. Only its place is kept; the event is
 * read again.
 */
export type WaitingEvent = {
  orgId: string;
  position: bigint;
  stream: string;
  revision: bigint;
};
