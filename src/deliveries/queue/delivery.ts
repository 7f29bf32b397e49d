/**
 * `waiting`: for its due time, or leased. `held`: its listener is paused, or was and the delivery is not redelivered yet. The
 * others are final. `exhausted` ones are the dead letters.
 */
export type DeliveryState = (typeof deliveryStates)[number];

export const deliveryStates = ['waiting', 'held', 'succeeded', 'exhausted', 'cancelled'] as const;

/**
 * A flow event as it is sent: `body` is made once and sent byte for byte the same at every attempt to every listener. An
 * event without deliveries has no body and is kept so that it can be found by its ID.
 */
export type Message = {
  /** The flow event's UUID in the event store, unique within its organisation. */
  readonly eventId: string;
  /** The id that its publisher and its receivers know: the `id` of the body. Undefined without a body. */
  readonly publishedId?: string | undefined;
  readonly orgId: string;
  readonly type: string;
  readonly position: bigint;
  readonly body: string | null;
  /** Time of the flow event, milliseconds since 1970; undefined for a test delivery. */
  readonly recordedAt: number | undefined;
  /** The trace that the deliveries belong to (W3C Trace Context), if there is one. Comes and goes with the body. */
  readonly traceparent?: string | undefined;
};

/** A listener as the queue knows it. One of a later `position` replaces an earlier one of the same listener. */
export type QueuedListener = {
  readonly listenerId: string;
  readonly orgId: string;
  readonly hookUrl: string;
  readonly keyGeneration: string;
  readonly secretVersion: number;
  /** The secret before this one, which deliveries are signed with too until then, milliseconds since 1970. */
  readonly previousSecret?: PreviousSecret | undefined;
  /** The JSONata expression that makes the body of each delivery; undefined: the message's body. */
  readonly transform?: string | undefined;
  /** One delivery at a time, in the order of the flow events. */
  readonly ordered: boolean;
  /** The most deliveries a second; undefined: what the lease request says. */
  readonly ratePerSecond?: number | undefined;
  /** Nothing is leased: what waits, and what is enqueued, is held. */
  readonly paused: boolean;
  /** Of the listener event that says so. */
  readonly position: bigint;
};

export type PreviousSecret = {
  readonly keyGeneration: string;
  readonly secretVersion: number;
  readonly until: number;
};

export type NewDelivery = {
  /** UUIDv5 of organisation, flow event, listener and replay, if any: enqueued again, it stays what it was. */
  readonly id: string;
  /** The same for one event and listener, whatever retries, redeliveries or replays. */
  readonly webhookId: string;
  readonly orgId: string;
  readonly eventId: string;
  readonly listenerId: string;
  /** The replay that it belongs to. */
  readonly replay?: string | undefined;
  /** Its flow event happened while the listener was paused: it comes in held. */
  readonly held?: true | undefined;
};

/**
 * The public headers of an attempt: Standard Webhooks 1.0.0 without the signature. The id stays the same for all
 * attempts; `startedAt`, milliseconds since 1970, is that of this one.
 */
export const webhookHeaders = (webhookId: string, startedAt: number) => ({
  'content-type': 'application/json',
  'webhook-id': webhookId,
  'webhook-timestamp': String(webhookTimestamp(startedAt)),
});

/** In seconds since 1970. */
export const webhookTimestamp = (startedAt: number): number => Math.floor(startedAt / 1_000);
