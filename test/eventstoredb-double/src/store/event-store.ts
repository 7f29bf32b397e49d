import { randomUUID } from 'node:crypto';
import { checkCommit } from './check-commit.js';
import { type Draft, EventLog } from './event-log.js';
import { type ExpectedRevision, holdsFor } from './expected-revision.js';
import type { Journal } from './journal.js';
import type { ProposedEvent } from './recorded-event.js';
import { describedBy, metadataEvent, metastreamOf, parseMetadata, softDeletion } from './retention.js';

/** The revision is undefined when there is no stream, the position when what was recognised is hidden. */
export interface Written {
  outcome: 'written';
  revision: bigint | undefined;
  position: bigint | undefined;
}

/** Nothing was written. The current revision is undefined when there is no stream. */
export type Refused =
  | { outcome: 'wrong-expected-version'; current: bigint | undefined }
  | { outcome: 'stream-deleted' };

const streamDeleted: Refused = { outcome: 'stream-deleted' };

/** The commands that change streams. */
export class EventStore {
  readonly log: EventLog;

  constructor(journal?: Journal) {
    this.log = new EventLog(journal);
  }

  append(name: string, expected: ExpectedRevision, events: readonly ProposedEvent[]): Written | Refused {
    const decision = checkCommit(this.log, name, expected, events);
    if (decision.outcome === 'write') return this.#write(name, events);
    if (decision.outcome === 'already-written') return this.#alreadyWritten(name, decision.revision);
    return decision.outcome === 'stream-deleted' ? streamDeleted : this.#wrongExpectedVersion(name);
  }

  /** A soft delete: hides the events, and lets the stream be continued. */
  delete(name: string, expected: ExpectedRevision): Written | Refused {
    if (this.log.isTombstoned(name)) return streamDeleted;
    const stream = this.log.stream(name);
    if (stream.isEmpty || !holdsFor(stream, expected)) return this.#wrongExpectedVersion(name);
    const [deletion] = this.log.write([{ stream: metastreamOf(name), event: softDeletion() }]);
    return { outcome: 'written', revision: stream.lastRevision, position: deletion?.position };
  }

  /** A hard delete, for ever. */
  tombstone(name: string, expected: ExpectedRevision): Written | Refused {
    if (this.log.isTombstoned(name)) return streamDeleted;
    if (!holdsFor(this.log.stream(name), expected)) return this.#wrongExpectedVersion(name);
    const event = {
      id: randomUUID(),
      type: '$streamDeleted',
      contentType: 'application/octet-stream',
      data: new Uint8Array(),
      metadata: new Uint8Array(),
    };
    const [tombstone] = this.log.write([{ stream: name, event, isTombstone: true }]);
    return { outcome: 'written', revision: tombstone?.revision, position: tombstone?.position };
  }

  #write(name: string, events: readonly ProposedEvent[]): Written {
    const stream = this.log.stream(name);
    if (events.length === 0) {
      const position = this.log.writeNothing();
      return { outcome: 'written', revision: stream.isEmpty ? undefined : stream.lastRevision, position };
    }
    const drafts = events.map((event): Draft => ({ stream: name, event }));
    const recorded = this.log.write([...drafts, ...this.#revival(name, events)]);
    const last = recorded[events.length - 1];
    return { outcome: 'written', revision: last?.revision, position: last?.position };
  }

  /** The first write to a deleted stream, or to its metadata, brings it back without the events that it had. */
  #revival(name: string, events: readonly ProposedEvent[]): Draft[] {
    const described = describedBy(name);
    if (described !== undefined && this.log.stream(described).isDeleted) {
      const metadata = parseMetadata(events.at(-1)?.data ?? new Uint8Array());
      return [this.#metadata(described, metadata)];
    }
    return this.log.stream(name).isDeleted ? [this.#metadata(name, {})] : [];
  }

  #metadata(name: string, metadata: Record<string, unknown>): Draft {
    const event = metadataEvent(JSON.stringify({ ...metadata, $tb: this.log.stream(name).events.length }));
    return { stream: metastreamOf(name), event };
  }

  #alreadyWritten(name: string, revision: bigint): Written {
    const stream = this.log.stream(name);
    const isHidden = Number(revision) < stream.firstVisible;
    const position = isHidden ? undefined : stream.events[Number(revision)]?.position;
    return { outcome: 'written', revision, position };
  }

  #wrongExpectedVersion(name: string): Refused {
    const { isEmpty, lastRevision } = this.log.stream(name);
    return { outcome: 'wrong-expected-version', current: isEmpty ? undefined : lastRevision };
  }
}
