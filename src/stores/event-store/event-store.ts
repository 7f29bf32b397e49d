export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

/** An event that is to be appended. `id` is a UUID: sending the same ids again appends nothing a second time. */
export type NewEvent = {
  readonly id: string;
  readonly type: string;
  readonly data: JsonObject;
  readonly metadata: JsonObject;
};

/** An event as a store gives it back. `data` and `metadata` are what was stored, not yet validated: see `codec.ts`. */
export type RecordedEvent = {
  readonly id: string;
  readonly stream: string;
  /** The place in its stream, from 0, without gaps. */
  readonly revision: bigint;
  /** The place among all events of the store: rises with each event, may have gaps. */
  readonly position: bigint;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: unknown;
  /** When the store took it. A copy in another store has another one; `recordedAt` in the metadata stays. */
  readonly created: Date;
};

/** `any` asks for nothing; a bigint is the revision of the last event that the caller has seen. */
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
 * Positions to begin at are ones that this store has given, with an event, a batch or as its head: between two of them
 * there may be nothing to begin at.
 */
export type AllRange = {
  /** Only events after (forwards) or before (backwards) this position, exclusive. */
  readonly from?: bigint;
  readonly direction?: Direction;
  readonly limit?: number;
  readonly filter?: EventFilter;
};

export type SubscribeOptions = {
  /** Only events after this position, exclusive. Without it: from the first; `end`: only what is appended from now on. */
  readonly from?: bigint | 'end';
  readonly filter?: EventFilter;
  /** Ends the subscription: the iteration returns once what was given has been handled. */
  readonly signal?: AbortSignal;
};

/**
 * What a subscription gives at a time. The next batch is read when the consumer asks for it, so a slow consumer slows
 * only itself, and a handler that awaits in the loop runs strictly one at a time.
 */
export type EventBatch = {
  /** In order; empty where only the position has moved, past events that the filter leaves out. */
  readonly events: readonly RecordedEvent[];
  /** Everything up to here, inclusive, has been given: the checkpoint to keep once the batch is handled. */
  readonly position: bigint;
  /** Whether the history is behind us: nothing more was there when the batch was read. */
  readonly caughtUp: boolean;
};

/**
 * Where events are kept. Every adapter passes `test/contract/event-store.ts`.
 *
 * Stream names are `<category>-<id>`, 1 to 512 printable ASCII characters.
 * Errors: `WrongExpectedRevision`, `StreamNotFound`, `AppendTooLarge`, `NotSerialisable`, `StoreUnavailable`, and
 * `StoreUnusable` where the store has lost what a position or a stream stands for (`errors.ts`); anything else is a bug.
 */
export interface EventStore {
  /**
   * Appends all events, in this order, or none; resolves once they are durable. Idempotent by event id: events that the
   * expectation would have put where they already stand are not written again and the original result is returned.
   * With `any` and `stream-exists`, ids that the stream already has are not written again.
   */
  append(
    stream: string,
    events: readonly NewEvent[],
    options?: { readonly expectedRevision?: ExpectedRevision },
  ): Promise<AppendResult>;

  /**
   * Deletes a stream with all its events; resolves once that is durable, also where there is no such stream. It may begin
   * again: its revisions then begin at 0 or go on behind those that were deleted; positions are never given
   * twice. With an expectation, throws `WrongExpectedRevision` where the stream has gone on since.
   *
   * The embedded store overwrites what it deletes. EventStoreDB goes on giving the events among all events, to `readAll` and
   * `subscribe`, until it is scavenged: who handles them from there has to know of the deletion from elsewhere.
   */
  deleteStream(stream: string, options?: { readonly expectedRevision?: bigint | undefined }): Promise<void>;

  /**
   * Sees to it that a scavenge of EventStoreDB removes a deleted stream, its last event included, of which `readAll` still gives
   * an event of this revision: for streams whose deletion was cut short, or that an earlier release deleted. Resolves to whether
   * that was still to do; to false, without a change, where the stream is there, or the event is not its last. There is never
   * anything to do in the embedded store. Throws `StoreUnavailable`.
   */
  finishDeletion(stream: string, revision: bigint): Promise<boolean>;

  /** Throws `StreamNotFound` while iterating where the stream does not exist; a range without events is just empty. */
  readStream(stream: string, range?: StreamRange): AsyncIterable<RecordedEvent>;

  readAll(range?: AllRange): AsyncIterable<RecordedEvent>;

  /** History and then live events, without loss or duplicate, for ever: ends only by `signal`, `break` or `close`. */
  subscribe(options?: SubscribeOptions): AsyncIterable<EventBatch>;

  /** The position of the last event of the store, be it deleted since or not; -1n where there was none. */
  head(): Promise<bigint>;

  /** Ends subscriptions and pending work, then releases what the store holds. */
  close(): Promise<void>;
}

/** The part of a stream's name before the first `-`. */
export const categoryOf = (stream: string): string => {
  const dash = stream.indexOf('-');
  return dash === -1 ? stream : stream.slice(0, dash);
};

/**
 * 1 MiB: the most that one append may hold, as `appendBytesOf` counts it over its events. It is the limit of EventStoreDB as
 * 24.10 counts; 23.10 counts only the data.
 */
export const maxAppendBytes = 1_048_576;
