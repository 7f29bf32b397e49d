import type { SigningSecret, Subscription } from '../../events/listener-events.js';

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
  readonly eventId: string;
  /** The id that its publisher and its receivers know: the `id` of the body. Undefined without a body. */
  readonly publishedId?: string | undefined;
  readonly orgId: string;
  readonly type: string;
  readonly position: bigint;
  readonly body: string | null;
  /** Time of the flow event, milliseconds since 1970; undefined for a test delivery. */
  readonly recordedAt: number | undefined;
  /** Texts by which the event is found, with their beginnings: see `searchTermsOf`. */
  readonly terms?: readonly string[] | undefined;
  /** W3C Trace Context; kept as long as the body. */
  readonly traceparent?: string | undefined;
};

/** The listener with the latest `position` replaces the others of its ID. */
export type QueuedListener = {
  readonly listenerId: string;
  readonly orgId: string;
  readonly hookUrl: string;
  readonly subscription: Subscription;
  readonly secret: SigningSecret;
  /** Waiting and new deliveries are held. */
  readonly paused: boolean;
  readonly position: bigint;
};

/** As it is put: its health is forgotten, as where it was paused before. */
export type PutListener = QueuedListener & { readonly isHealthReset?: true };

export type NewDelivery = {
  /** UUIDv5 of organisation, flow event, listener and replay, if any: enqueued again, it stays what it was. */
  readonly id: string;
  /** The same for one event and listener, whatever retries, redeliveries or replays. */
  readonly webhookId: string;
  readonly orgId: string;
  readonly eventId: string;
  readonly listenerId: string;
  readonly replay?: string | undefined;
  readonly held?: true | undefined;
};

/** The headers of Standard Webhooks 1.0.0 without the signature; the ID is the same for all attempts. */
export const webhookHeaders = (webhookId: string, startedAt: number) => ({
  'content-type': 'application/json',
  'webhook-id': webhookId,
  'webhook-timestamp': String(webhookTimestamp(startedAt)),
});

/** In seconds since 1970. */
export const webhookTimestamp = (startedAt: number): number => Math.floor(startedAt / 1_000);
