export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

/** `id` is a UUID: appending the same IDs again writes nothing. */
export type NewEvent = {
  id: string;
  type: string;
  data: JsonObject;
  metadata: JsonObject;
};

export type EventForStream = {
  stream: string;
  event: NewEvent;
  /** Expected to be the first of its stream: EventStoreDB recognises a repeat of those for ever. */
  startsStream: boolean;
};

/** An event that its stream had already, under its ID. */
export type KnownEvent = { id: string; stream: string; revision: bigint };

/** `data` and `metadata` are as stored, not validated: see `codec.ts`. */
export type RecordedEvent = {
  id: string;
  stream: string;
  /** Number from 0, without gaps. */
  revision: bigint;
  /** Position in the whole store: rises with each event, may have gaps. */
  position: bigint;
  type: string;
  data: unknown;
  metadata: unknown;
  /** Differs in a copy of the store; `recordedAt` in the metadata does not. */
  created: Date;
};

/** A bigint is the revision of the last event that the caller has read. */
export type ExpectedRevision = 'any' | 'no-stream' | 'stream-exists' | bigint;

/** Revision and position of the last event appended. After an empty append: of the stream's last, -1n if none. */
export type AppendResult = { revision: bigint; position: bigint };

export type Direction = 'forwards' | 'backwards';

export type StreamRange = {
  /** Inclusive. Default: the first event forwards, the last one backwards. */
  from?: bigint;
  direction?: Direction;
  limit?: number;
};

/**
 * A category is the part of a stream's name before the first `-`. With `buckets`, a store may leave out streams that
 * `bucketIn` finds in another bucket: see `bucket.ts`.
 */
export type EventFilter = { categories: readonly string[]; buckets?: ReadonlySet<number> };

/** Reads may start only at positions that this store has returned: others may be invalid. */
export type AllRange = {
  /** Exclusive. */
  from?: bigint;
  direction?: Direction;
  limit?: number;
  filter?: EventFilter;
};

export type SubscribeOptions = {
  /** Exclusive. Default: from the first; `end`: only events appended from now on. */
  from?: bigint | 'end';
  filter?: EventFilter;
  /** The iteration returns after the current batch. */
  signal?: AbortSignal;
};

/** The next batch is read when the consumer asks for it: a slow consumer slows only itself. */
export type EventBatch = {
  /** Empty where only the position has moved, past filtered events. */
  events: readonly RecordedEvent[];
  /** The checkpoint to store once the batch is handled, inclusive. */
  position: bigint;
  /** True if the batch was read at the end of the events. */
  caughtUp: boolean;
};

/** `stream`: its name, or its number where it has none. */
export type UnexplainedEvent = { stream: string; revision: bigint };

/** Reads of one stream. */
export interface StreamReader {
  /** Throws `StreamNotFound` while iterating; a range without events is empty. */
  readStream(stream: string, range?: StreamRange): AsyncIterable<RecordedEvent>;
}

/** Reads of the log: all streams, in the order of positions. */
export interface LogReader {
  readAll(range?: AllRange): AsyncIterable<RecordedEvent>;
}

/** Log whose readers stay until they end it. */
export interface LiveLog {
  /** History and then live events, without loss or duplicate. Ends only by `signal`, `break` or `close`. */
  subscribe(options?: SubscribeOptions): AsyncIterable<EventBatch>;
}

/**
 * Contract: `test/contract/event-store.ts`. Stream names are `<category>-<id>`, 1 to 512 printable ASCII characters.
 * Errors: `WrongExpectedRevision`, `StreamNotFound`, `AppendTooLarge`, `NotSerialisable`, `StoreUnavailable`, and
 * `StoreUnusable` where events of a position or stream are lost.
 */
export interface EventStore extends StreamReader, LogReader, LiveLog {
  /**
   * Appends all events or none; resolves once they are durable. Idempotent by event ID: events already at the expected
   * revision are not written again and return the original result; with `any` and `stream-exists`, so do events
   * anywhere in the stream.
   */
  append(
    stream: string,
    events: readonly NewEvent[],
    options?: { expectedRevision?: ExpectedRevision },
  ): Promise<AppendResult>;

  /**
   * Appends each event unless its stream has the ID, in order within a stream; resolves once all are durable. The
   * embedded store writes all or none; EventStoreDB may have written some after a failure, and a repeat writes the
   * others. Returns those that their streams had; EventStoreDB does not say so of those that were appended since the
   * last append of this object.
   */
  appendEach(events: readonly EventForStream[]): Promise<readonly KnownEvent[]>;

  /**
   * Resolves once durable, also where the stream does not exist; throws `WrongExpectedRevision`. A stream created again
   * starts at 0 or after the deleted revisions; positions are never reused. EventStoreDB returns deleted events from
   * `readAll` and `subscribe` until a scavenge.
   */
  deleteStream(stream: string, options?: { expectedRevision?: bigint | undefined }): Promise<void>;

  /**
   * Completes an interrupted deletion so that a scavenge of EventStoreDB removes the last event too. False, without a
   * change, where the stream exists, the event is not its last, or the store is embedded. Throws `StoreUnavailable`.
   */
  finishDeletion(stream: string, revision: bigint): Promise<boolean>;

  /** Streams whose names are in the categories; may yield a name more than once, and of a stream that was deleted. */
  streamNames(categories: readonly string[]): AsyncIterable<string>;

  /**
   * Events of the categories that `readStream` or `readAll` leaves out, or returns in another order: someone has edited
   * the embedded store's file. None on EventStoreDB, which files events by the names of their streams alone.
   */
  unexplainedEvents(categories: readonly string[]): AsyncIterable<UnexplainedEvent>;

  /** Position of the last event, including deleted ones; -1n in an empty store. */
  head(): Promise<bigint>;

  /** Ends subscriptions and pending work first. */
  close(): Promise<void>;
}

export const categoryOf = (stream: string): string => {
  const dash = stream.indexOf('-');
  return dash === -1 ? stream : stream.slice(0, dash);
};

/** 1 MiB, as `appendBytesOf` counts it: EventStoreDB's limit as version 24.10 counts; 23.10 counts only the data. */
export const maxAppendBytes = 1_048_576;
