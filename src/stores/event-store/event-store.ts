export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

/** An event to append. `id` is a UUID: appending the same IDs again writes nothing. */
export type NewEvent = {
  readonly id: string;
  readonly type: string;
  readonly data: JsonObject;
  readonly metadata: JsonObject;
};

/** An event, and the stream that it is appended to. */
export type EventForStream = {
  readonly stream: string;
  readonly event: NewEvent;
  /** Whether it is expected to be the first of its stream: EventStoreDB recognises a repeat of those for ever. */
  readonly startsStream: boolean;
};

/** A recorded event. `data` and `metadata` are as stored, not yet validated: see `codec.ts`. */
export type RecordedEvent = {
  readonly id: string;
  readonly stream: string;
  /** The position in its stream, from 0, without gaps. */
  readonly revision: bigint;
  /** The position in the whole store: rises with each event, may have gaps. */
  readonly position: bigint;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: unknown;
  /** When the store recorded it. Differs in a copy of the store; `recordedAt` in the metadata does not. */
  readonly created: Date;
};

/** `any` expects nothing; a bigint is the revision of the last event that the caller has read. */
export type ExpectedRevision = 'any' | 'no-stream' | 'stream-exists' | bigint;

/** The revision and position of the last event appended. After an empty append: of the stream's last, -1n if none. */
export type AppendResult = { readonly revision: bigint; readonly position: bigint };

export type Direction = 'forwards' | 'backwards';

export type StreamRange = {
  /** First revision wanted, inclusive. Without it: the first event forwards, the last one backwards. */
  readonly from?: bigint;
  readonly direction?: Direction;
  readonly limit?: number;
};

/** Only streams of these categories, the part of the name before the first `-`. Without it: every stream. */
export type EventFilter = { readonly categories: readonly string[] };

/**
 * Reads may start only at positions that this store has returned, of an event, a batch or its head: between two of them
 * there may be no valid position.
 */
export type AllRange = {
  /** Only events after (forwards) or before (backwards) this position, exclusive. */
  readonly from?: bigint;
  readonly direction?: Direction;
  readonly limit?: number;
  readonly filter?: EventFilter;
};

export type SubscribeOptions = {
  /**
   * Only events after this position, exclusive. Without it: from the first; `end`: only events appended from now on.
   */
  readonly from?: bigint | 'end';
  readonly filter?: EventFilter;
  /** Ends the subscription: the iteration returns once the current batch is handled. */
  readonly signal?: AbortSignal;
};

/**
 * One batch of a subscription. The next batch is read when the consumer asks for it, so a slow consumer slows only
 * itself, and a handler that awaits in the loop runs strictly one at a time.
 */
export type EventBatch = {
  /** In order; empty where only the position has moved, past events that the filter excludes. */
  readonly events: readonly RecordedEvent[];
  /** Every event up to here, inclusive, has been delivered: the checkpoint to store once the batch is handled. */
  readonly position: bigint;
  /** Whether the reader has caught up: there were no more events when the batch was read. */
  readonly caughtUp: boolean;
};

/**
 * The event store. Every adapter passes `test/contract/event-store.ts`.
 * Stream names are `<category>-<id>`, 1 to 512 printable ASCII characters.
 * Errors: `WrongExpectedRevision`, `StreamNotFound`, `AppendTooLarge`, `NotSerialisable`, `StoreUnavailable`, and
 * `StoreUnusable` where the store no longer has the events of a position or a stream (`errors.ts`); any other error is
 * a bug.
 */
export interface EventStore {
  /**
   * Appends all events, in this order, or none; resolves once they are durable. Idempotent by event ID: where the
   * events already are at the expected revision, nothing is written and the original result is returned. With `any` and
   * `stream-exists`, events whose IDs the stream already has are not written again.
   */
  append(
    stream: string,
    events: readonly NewEvent[],
    options?: { readonly expectedRevision?: ExpectedRevision },
  ): Promise<AppendResult>;

  /**
   * Appends each event to its stream unless the stream has its ID; resolves once all are durable. In a stream they keep this
   * order. The embedded store writes all in one transaction, or none. EventStoreDB gets an append for each, several at a time:
   * where that fails, some are written, and a repeat writes the others.
   */
  appendEach(events: readonly EventForStream[]): Promise<void>;

  /**
   * Deletes a stream with all its events; resolves once that is durable, also where the stream does not exist. The
   * stream may be created again: its revisions then start at 0 or continue after the deleted ones; positions are never
   * reused. With an expected revision, throws `WrongExpectedRevision` where the stream is at another one.
   * The embedded store overwrites the deleted data. EventStoreDB still returns the events from `readAll` and
   * `subscribe` until a scavenge: readers of these must learn of the deletion by other means.
   */
  deleteStream(stream: string, options?: { readonly expectedRevision?: bigint | undefined }): Promise<void>;

  /**
   * Completes a deletion so that a scavenge of EventStoreDB removes the whole stream, its last event included: for a
   * stream whose event at `revision` `readAll` still returns because the deletion was interrupted. Resolves to whether
   * there was work to do; to false, without a change, where the stream exists or the event is not its last, and always
   * in the embedded store. Throws `StoreUnavailable`.
   */
  finishDeletion(stream: string, revision: bigint): Promise<boolean>;

  /** Throws `StreamNotFound` while iterating where the stream does not exist; a range without events is empty. */
  readStream(stream: string, range?: StreamRange): AsyncIterable<RecordedEvent>;

  readAll(range?: AllRange): AsyncIterable<RecordedEvent>;

  /**
   * History and then live events, without loss or duplicate. Never completes: ends only by `signal`, `break` or
   * `close`.
   */
  subscribe(options?: SubscribeOptions): AsyncIterable<EventBatch>;

  /** The position of the store's last event, including deleted ones; -1n in an empty store. */
  head(): Promise<bigint>;

  /** Ends subscriptions and pending work, then releases the store's resources. */
  close(): Promise<void>;
}

/** The part of a stream's name before the first `-`. */
export const categoryOf = (stream: string): string => {
  const dash = stream.indexOf('-');
  return dash === -1 ? stream : stream.slice(0, dash);
};

/**
 * 1 MiB: maximum size of one append, as `appendBytesOf` counts it. It is EventStoreDB's limit as version 24.10 counts;
 * 23.10 counts only the data.
 */
export const maxAppendBytes = 1_048_576;
