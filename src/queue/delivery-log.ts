import type { DeliveryState, Message, NewDelivery, SetAside, SetAsideQuery } from './delivery.js';

/** Report without the hook URL. */
export type AttemptReport = {
  startedAt: number;
  durationMs: number;
  status?: number;
  /** A class of failure: `connect_timeout`, `refused`, `tls`, `target_not_allowed`, `transform`, `http_status` … */
  error?: string;
  /** The first bytes of the answer's body, as text; of a failed transformation, its reason. */
  answer?: string;
  /** Headers of the answer to a failed attempt, a retry or a test, a line each: the first bytes, without secrets. */
  headers?: string;
  address?: string;
};

export type DeliveryRecord = Omit<NewDelivery, 'held'> & {
  eventType: string;
  /** ID of the flow event, as its publisher and its receivers know it; undefined of old events without a body. */
  publishedId: string | undefined;
  state: DeliveryState;
  attempts: number;
  dueAt: number | undefined;
  enqueuedAt: number;
  lastStatus: number | undefined;
  lastError: string | undefined;
  lastAttemptAt: number | undefined;
};

export type DeliveryQuery = {
  orgId: string;
  id?: string;
  eventId?: string;
  listenerId?: string;
  replay?: string;
  states?: readonly DeliveryState[];
  limit?: number;
  /** The `cursor` of the last delivery of the page before. */
  after?: string;
  /** Only of flow events at lower positions. */
  before?: bigint;
};

/** `log`: see `hasLogs`. */
export type ListedDelivery = DeliveryRecord & { cursor: string; log?: readonly AttemptReport[] };

/** A query of one delivery, or of those of an event at a listener, also returns the latest 100 attempts of each, in their order. */
export const hasLogs = ({ id, eventId, listenerId }: DeliveryQuery): boolean =>
  id !== undefined || (eventId !== undefined && listenerId !== undefined);

/** `next`: `after` of the next page; undefined: the end. A page may have fewer deliveries than its limit and a next one. */
export type ListedPage = { deliveries: readonly ListedDelivery[]; next: string | undefined };

export type DeliveryCounts = Readonly<Record<DeliveryState, number>> & {
  setAside: number;
  /** Due time of the longest due delivery; undefined if none is due. */
  oldestDueAt: number | undefined;
  /** Circuit breakers that are open or being probed, up to 1,000. */
  openBreakers: number;
};

/** Attempts of a day (UTC) at deliveries to a listener. */
export type DayOfAttempts = {
  /** `2026-01-31` */
  day: string;
  listenerId: string;
  succeeded: number;
  failed: number;
  exhausted: number;
  durationMs: number;
};

/** Attempts of a day or half an hour at deliveries to a listener. `at`: when it began, in milliseconds since 1970. */
export type AttemptsOfPeriod = Omit<DayOfAttempts, 'day'> & { at: number };

export type MinuteOfActivity = {
  at: number;
  /** Flow events that the fan-out handed over. */
  events: number;
  succeeded: number;
  failed: number;
  exhausted: number;
  /** Histogram from recording to success at the first attempt; buckets of `policy/histogram.ts`. */
  latency: readonly number[];
  /** Durations of attempts, in the same buckets. */
  duration: readonly number[];
};

export type ExhaustedDeliveries = { listenerId: string; exhausted: number };

/** Milliseconds since 1970: from `from` inclusive to `to` exclusive. */
export type ActivityQuery = { from: number; to: number };

/** Periods that begin in the query's, by UTC. */
export type AttemptsQuery = ActivityQuery & { orgId: string } & (
    | { by: 'day'; listenerId?: string | undefined }
    /** Half hours of at least the last 24 hours. */
    | { by: 'half hour'; listenerId: string }
  );

export type AttemptsByDay = Extract<AttemptsQuery, { by: 'day' }>;
export type AttemptsByHalfHour = Extract<AttemptsQuery, { by: 'half hour' }>;

export type KnownEvent = Omit<Message, 'body' | 'publishedId' | 'recordedAt' | 'terms' | 'traceparent'>;

/** `body`: of an event that is queried by its ID; null: it has no deliveries any more, or never had one. */
export type ListedEvent = KnownEvent &
  Pick<Message, 'recordedAt'> & { publishedId: string | undefined; body?: string | null };

/** The latest first, without samples of test deliveries. The newest may be missing for two seconds. */
export type LatestEventsQuery = {
  orgId: string;
  /** A position, exclusive; undefined: the latest. */
  before?: bigint;
  /** Only events with this one among their terms. */
  term?: string;
  limit: number;
};

/** Events with a term that begins so, in no order. The newest may be missing for two seconds. */
export type BeginningQuery = { orgId: string; beginning: string; limit: number };

/** Query of known events in the order of their positions. */
export type KnownEventsQuery = {
  orgId: string;
  /** Positions, exclusive and inclusive. */
  after: bigint;
  upTo: bigint;
  limit: number;
};

type EventQuery = Pick<KnownEvent, 'orgId' | 'eventId'>;

export type EventsQuery = EventQuery | KnownEventsQuery | LatestEventsQuery | BeginningQuery;

/** A page of redelivered deliveries, and the cursor of the next page; undefined if it was the last. */
export type Redelivered = { redelivered: number; next: string | undefined };

/** Lists of deliveries. */
export interface DeliveryFinder {
  /**
   * The latest flow events first; 100 by default. The cost is bounded, also where nearly all flow events of the organisation have
   * no deliveries. Rejects with `InvalidRequest` if `after` is not one of its cursors.
   */
  deliveries(query: DeliveryQuery): Promise<ListedPage>;
}

/** Lists of the flow events that the fan-out has handled. */
export interface EventFinder {
  /** Known flow events; the cost depends on the limit alone. */
  events(query: EventsQuery): Promise<readonly ListedEvent[]>;
}

/** All that has been, for queries. */
export interface DeliveryLog extends DeliveryFinder, EventFinder {
  counts(now: number): Promise<DeliveryCounts>;
  /** The earliest first, then by listener, without idle periods. */
  statistics(query: AttemptsQuery): Promise<readonly AttemptsOfPeriod[]>;
  /** Minutes of at least the last 24 hours, the earliest first, without idle minutes. An attempt counts when its outcome is recorded. */
  activity(query: ActivityQuery): Promise<readonly MinuteOfActivity[]>;
  /** Deliveries that used up their attempts in a period, by listener: those that were not made due again since. */
  exhausted(query: ActivityQuery): Promise<readonly ExhaustedDeliveries[]>;
  /** Lists set-aside events by position. */
  setAside(query?: SetAsideQuery): Promise<readonly SetAside[]>;
}

/** Text after all that begin so, in the order of their code points. */
export const endOfBeginning = (beginning: string): string => `${beginning}\u{10ffff}`;

export const maxAnswerTextBytes = 1_024;

/** The first bytes, without half a character at their end. */
export function firstBytes(bytes: Buffer): Buffer {
  if (bytes.length <= maxAnswerTextBytes) return bytes;
  let end = maxAnswerTextBytes;
  while (end > maxAnswerTextBytes - 4 && isContinuation(bytes[end])) end -= 1;
  return bytes.subarray(0, end);
}

/** Cuts at a character boundary. */
export const firstOfText = (text: string): string =>
  Buffer.byteLength(text) <= maxAnswerTextBytes ? text : firstBytes(Buffer.from(text)).toString();

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;
