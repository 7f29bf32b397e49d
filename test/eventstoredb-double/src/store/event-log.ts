import { type Journal, type Write, withoutJournal } from './journal.js';
import type { ProposedEvent, RecordedEvent } from './recorded-event.js';
import { describedBy, retentionOf } from './retention.js';
import { Stream } from './stream.js';

/** Nothing is written at offset 0, so that the position of an event is never that of the start. */
const firstPosition = 128n;

export const tombstoneRevision = 9_223_372_036_854_775_807n;

const recordSize = (stream: string, { type, data, metadata }: ProposedEvent) =>
  BigInt(96 + stream.length + type.length + data.length + metadata.length);

/** An event on its way into a stream; at the next revision, unless it is a tombstone. */
export interface Draft {
  stream: string;
  event: ProposedEvent;
  isTombstone?: boolean;
}

export type WriteListener = (events: readonly RecordedEvent[]) => void;

/** All events in the order in which they were written, with an index by stream, position and event id. */
export class EventLog {
  events: RecordedEvent[] = [];
  readonly #streams = new Map<string, Stream>();
  readonly #firstWithId = new Map<string, RecordedEvent>();
  /** Records without an event: writes of nothing, and what a scavenge has removed. A reader may begin there. */
  readonly #emptyRecords = new Set<bigint>();
  readonly #listeners = new Set<WriteListener>();
  #end = firstPosition;

  constructor(readonly journal: Journal = withoutJournal) {
    for (const write of journal.past()) this.#apply(write);
  }

  /** Position of the next record. */
  get end(): bigint {
    return this.#end;
  }

  /** The stream of that name; an empty one, which is not kept, when nothing was written to it. */
  stream(name: string): Stream {
    return this.#streams.get(name) ?? new Stream(name);
  }

  /** A tombstone covers the metastream too. */
  isTombstoned(name: string): boolean {
    const described = describedBy(name);
    return Boolean(this.stream(name).tombstone ?? (described !== undefined && this.stream(described).tombstone));
  }

  /** The event that had this id first, in whichever stream. */
  firstWithId(id: string): RecordedEvent | undefined {
    return this.#firstWithId.get(id);
  }

  /** Writes all drafts or, when it throws, none. Listeners have heard of them when it returns. */
  write(drafts: readonly Draft[]): RecordedEvent[] {
    const createdMs = Date.now();
    const written = new Map<string, bigint>();
    let position = this.#end;
    const events = drafts.map(({ stream, event, isTombstone }): RecordedEvent => {
      const next = written.get(stream) ?? this.stream(stream).lastRevision + 1n;
      if (!isTombstone) written.set(stream, next + 1n);
      const recorded = { ...event, stream, revision: isTombstone ? tombstoneRevision : next, position, createdMs };
      position += recordSize(stream, event);
      return recorded;
    });
    this.#commit({ events, end: position });
    return events;
  }

  /** An append of no events takes a place in the log nevertheless. */
  writeNothing(): bigint {
    const position = this.#end;
    this.#commit({ events: [], end: position + 96n });
    return position;
  }

  /** Removes events for good. Their places stay: others keep theirs, and a reader that stood there goes on. */
  remove(events: readonly RecordedEvent[]): void {
    if (events.length > 0)
      this.#commit({ events: [], end: this.#end, removed: events.map(({ position }) => position) });
  }

  /** Every stream that something was ever written to. */
  streams(): Iterable<Stream> {
    return this.#streams.values();
  }

  /** The index of the first event behind `position`. */
  indexAfter(position: bigint): number {
    let [low, high] = [0, this.events.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const event = this.events[middle];
      if (event && event.position <= position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  isRecordAt(position: bigint): boolean {
    return this.events[this.indexAfter(position) - 1]?.position === position || this.#emptyRecords.has(position);
  }

  /** Calls `listener` for each write, before the writer has its answer; gives the way to stop that. */
  onWrite(listener: WriteListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #commit(write: Write): void {
    this.journal.add(write);
    this.#apply(write);
    if (write.events.length > 0) for (const listener of this.#listeners) listener(write.events);
  }

  #apply({ events, end, removed }: Write): void {
    if (removed) this.#applyRemoval(new Set(removed));
    else if (events.length === 0) this.#emptyRecords.add(this.#end);
    for (const event of events) {
      this.events.push(event);
      if (!this.#firstWithId.has(event.id)) this.#firstWithId.set(event.id, event);
      const stream = this.#keptStream(event.stream);
      if (event.revision === tombstoneRevision) stream.tombstone = event;
      else stream.events.push(event);
      const described = describedBy(event.stream);
      if (described !== undefined) this.#keptStream(described).retention = retentionOf(event.data);
    }
    this.#end = end;
  }

  #applyRemoval(positions: ReadonlySet<bigint>): void {
    for (const event of this.events.filter(({ position }) => positions.has(position))) {
      delete this.stream(event.stream).events[Number(event.revision)];
      if (this.#firstWithId.get(event.id) === event) this.#firstWithId.delete(event.id);
      this.#emptyRecords.add(event.position);
    }
    this.events = this.events.filter(({ position }) => !positions.has(position));
  }

  #keptStream(name: string): Stream {
    const stream = this.stream(name);
    this.#streams.set(name, stream);
    return stream;
  }
}
