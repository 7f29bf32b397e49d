import type { DeliveryState, Message, NewDelivery } from './delivery.js';

/** What an attempt saw, for the log: never the hook's URL, at most the first bytes of its answer. */
export type AttemptReport = {
  readonly startedAt: number;
  readonly durationMs: number;
  /** HTTP status; undefined where there was no answer. */
  readonly status?: number;
  /** A class of failure: `connect_timeout`, `refused`, `tls`, `target_not_allowed`, `http_status` … */
  readonly error?: string;
  /** The first bytes of the answer's body, as text. */
  readonly answer?: string;
  /** The address that it was sent to. */
  readonly address?: string;
};

export type DeliveryRecord = Omit<NewDelivery, 'held'> & {
  /** Of the flow event. */
  readonly eventType: string;
  /** Of the flow event, as its publisher and its receivers know it; undefined where an earlier release has enqueued it. */
  readonly publishedId: string | undefined;
  readonly state: DeliveryState;
  /** Attempts made so far. */
  readonly attempts: number;
  readonly dueAt: number | undefined;
  readonly enqueuedAt: number;
  readonly lastStatus: number | undefined;
  readonly lastError: string | undefined;
  readonly lastAttemptAt: number | undefined;
};

export type DeliveryQuery = {
  readonly orgId: string;
  readonly id?: string;
  readonly eventId?: string;
  readonly listenerId?: string;
  readonly replay?: string;
  readonly states?: readonly DeliveryState[];
  readonly limit?: number;
  /** Only those that come after it in the list: the `cursor` of the last one of the page before. */
  readonly after?: string;
};

/** `cursor`: its place in the list. */
export type ListedDelivery = DeliveryRecord & { readonly cursor: string };

export type DeliveryCounts = Readonly<Record<DeliveryState, number>> & {
  readonly setAside: number;
  /** When the longest waiting of the due ones became due; undefined where none is. */
  readonly oldestDueAt: number | undefined;
};

/** Attempts of a day (UTC) at deliveries to a hook. */
export type DayOfAttempts = {
  /** `2026-01-31` */
  readonly day: string;
  readonly listenerId: string;
  readonly succeeded: number;
  readonly failed: number;
  /** Deliveries that were given up. */
  readonly exhausted: number;
  /** Of all attempts together. */
  readonly durationMs: number;
};

export type StatsQuery = {
  readonly orgId: string;
  readonly listenerId?: string;
  /** The first day, and the last one. */
  readonly from: string;
  readonly to: string;
};

/** Where a flow event stands in the event store, as the queue knows it. */
export type KnownEvent = Omit<Message, 'body' | 'publishedId' | 'recordedAt'>;

export type KnownEventsQuery = {
  readonly orgId: string;
  /** Positions, exclusive and inclusive. */
  readonly after: bigint;
  readonly upTo: bigint;
  readonly limit: number;
};
