import type { DeliveryState, Message, NewDelivery } from './delivery.js';

/** The report of an attempt for the log: without the hook URL, and with the first bytes of the answer at most. */
export type AttemptReport = {
  readonly startedAt: number;
  readonly durationMs: number;
  /** HTTP status; undefined without an answer. */
  readonly status?: number;
  /** A class of failure: `connect_timeout`, `refused`, `tls`, `target_not_allowed`, `transform`, `http_status` … */
  readonly error?: string;
  /** The first bytes of the answer's body, as text; of a failed transformation, its reason. */
  readonly answer?: string;
  /** The address of the request. */
  readonly address?: string;
};

export type DeliveryRecord = Omit<NewDelivery, 'held'> & {
  /** Of the flow event. */
  readonly eventType: string;
  /** Of the flow event, as its publisher and its receivers know it; undefined without a body. */
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
  /** Due time of the longest due delivery; undefined if none is due. */
  readonly oldestDueAt: number | undefined;
};

/** Attempts of a day (UTC) at deliveries to a listener. */
export type DayOfAttempts = {
  /** `2026-01-31` */
  readonly day: string;
  readonly listenerId: string;
  readonly succeeded: number;
  readonly failed: number;
  /** Dead letters. */
  readonly exhausted: number;
  /** Of all attempts together. */
  readonly durationMs: number;
};

/** The counts of a minute for the whole service. */
export type MinuteOfActivity = {
  /** Begin of the minute, milliseconds since 1970. */
  readonly at: number;
  /** Flow events that the fan-out handed over. */
  readonly events: number;
  /** Attempts. */
  readonly succeeded: number;
  readonly failed: number;
  /** Deliveries that were given up. */
  readonly exhausted: number;
  /** From recording a flow event to a success at the first attempt, in buckets: see `policy/histogram.ts`. */
  readonly latency: readonly number[];
  /** Durations of attempts, in the same buckets. */
  readonly duration: readonly number[];
};

/** Milliseconds since 1970: the minutes that begin at `from` or later, and before `to`. */
export type ActivityQuery = { readonly from: number; readonly to: number };

export type StatsQuery = {
  readonly orgId: string;
  readonly listenerId?: string;
  /** The first day, and the last one. */
  readonly from: string;
  readonly to: string;
};

/** The place of a flow event in the event store. */
export type KnownEvent = Omit<Message, 'body' | 'publishedId' | 'recordedAt' | 'traceparent'>;

export type ListedEvent = KnownEvent & Pick<Message, 'recordedAt'> & { readonly publishedId: string | undefined };

/** `before`: a position, exclusive; undefined: the latest. */
export type LatestEventsQuery = {
  readonly orgId: string;
  readonly before?: bigint | undefined;
  readonly limit: number;
};

export type KnownEventsQuery = {
  readonly orgId: string;
  /** Positions, exclusive and inclusive. */
  readonly after: bigint;
  readonly upTo: bigint;
  readonly limit: number;
};

/** A page of redelivered deliveries, and the cursor of the next page; undefined if it was the last. */
export type Redelivered = { readonly redelivered: number; readonly next: string | undefined };

/** The part of the queue that operators search, and redeliver from. */
export interface DeliveryLog {
  counts(now: number): Promise<DeliveryCounts>;
  /**
   * Deliveries of an organisation, those of the latest flow events first; at most 100 by default. Rejects with
   * `InvalidRequest` if `after` is not one of its cursors.
   */
  list(query: DeliveryQuery): Promise<readonly ListedDelivery[]>;
  /** The attempts of a delivery in their order: the latest 100 of them. */
  attempts(orgId: string, deliveryId: string): Promise<readonly AttemptReport[]>;
  /**
   * Makes listed deliveries due now, in any state, instead of a pending retry; at most `limit` (100 by default). The numbers of
   * their attempts continue. A delivery under lease becomes due again after that attempt, whatever its outcome. Deliveries of
   * a closed gate or a paused listener stay as they are. Rejects with `InvalidRequest` if `after` is not a cursor of `list`.
   */
  redeliver(query: DeliveryQuery, now: number): Promise<Redelivered>;
  /** Statistics by day and listener. */
  stats(query: StatsQuery): Promise<readonly DayOfAttempts[]>;
  /**
   * Activity by minute, the earliest first, of at least the last 24 hours; minutes in which nothing happened are left out. An
   * attempt counts once, when its outcome is recorded.
   */
  activity(query: ActivityQuery): Promise<readonly MinuteOfActivity[]>;
  /** The body that listeners receive of a flow event of this ID; undefined where it has no deliveries any more, or never had one. */
  body(orgId: string, eventId: string): Promise<string | undefined>;
  /** The flow event of this ID, if the fan-out has processed it. */
  knownEvent(orgId: string, eventId: string): Promise<KnownEvent | undefined>;
  /** The flow events of an organisation that the fan-out has processed, in the order of their positions. */
  knownEvents(query: KnownEventsQuery): Promise<readonly KnownEvent[]>;
  /**
   * The same, the latest first, without the samples of test deliveries; the cost depends on the limit alone. The newest may be missing
   * for two seconds.
   */
  latestEvents(query: LatestEventsQuery): Promise<readonly ListedEvent[]>;
}

/** Maximum size of a kept answer, as UTF-8. */
export const maxAnswerTextBytes = 1_024;

/** The first bytes, without half a character at their end. */
export function firstBytes(bytes: Buffer): Buffer {
  if (bytes.length <= maxAnswerTextBytes) return bytes;
  let end = maxAnswerTextBytes;
  while (end > maxAnswerTextBytes - 4 && isContinuation(bytes[end])) end -= 1;
  return bytes.subarray(0, end);
}

/** The text, cut to at most `maxAnswerTextBytes` at a character boundary. */
export const firstOfText = (text: string): string =>
  Buffer.byteLength(text) <= maxAnswerTextBytes ? text : firstBytes(Buffer.from(text)).toString();

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;
