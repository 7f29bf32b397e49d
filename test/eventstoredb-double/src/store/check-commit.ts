import type { EventLog } from './event-log.js';
import type { ExpectedRevision } from './expected-revision.js';
import type { ProposedEvent } from './recorded-event.js';
import { metastreamOf } from './retention.js';
import type { Stream } from './stream.js';

/** Decision about an append. `already-written` has the revision of the last event that was recognised. */
export type CommitDecision =
  | { outcome: 'write' }
  | { outcome: 'already-written'; revision: bigint }
  | { outcome: 'wrong-expected-version' }
  | { outcome: 'stream-deleted' };

const write: CommitDecision = { outcome: 'write' };
const refuse: CommitDecision = { outcome: 'wrong-expected-version' };
const streamDeleted: CommitDecision = { outcome: 'stream-deleted' };

/** Events that were sent before are recognised by their ids before an expectation is refused. */
export function checkCommit(
  log: EventLog,
  name: string,
  expected: ExpectedRevision,
  events: readonly ProposedEvent[],
): CommitDecision {
  const stream = log.stream(name);
  if (log.isTombstoned(name)) return streamDeleted;
  if (expected === 'any') return recogniseAnywhere(log, name, events);
  if (expected === 'stream-exists') {
    if (stream.isDeleted) return streamDeleted;
    const hasOnlyMetadata = stream.isEmpty && !log.stream(metastreamOf(name)).isEmpty;
    return stream.isEmpty && !hasOnlyMetadata ? refuse : recogniseAnywhere(log, name, events);
  }
  const expectedRevision = expected === 'no-stream' ? -1n : expected;
  if (expectedRevision > stream.lastRevision) return refuse;
  if (expectedRevision === stream.lastRevision) return write;
  const decision = recogniseInPlace(stream, expectedRevision, events);
  const isNew = decision.outcome === 'write';
  return isNew && !(expected === 'no-stream' && stream.isDeleted) ? refuse : decision;
}

/** Recognises an event by the stream that had its id first, at any revision. */
function recogniseAnywhere(log: EventLog, name: string, events: readonly ProposedEvent[]): CommitDecision {
  let revision: bigint | undefined;
  for (const { id } of events) {
    const known = log.firstWithId(id);
    if (known?.stream !== name) return revision === undefined ? write : refuse;
    revision = known.revision;
  }
  return revision === undefined ? write : { outcome: 'already-written', revision };
}

/** Recognises events at the places right behind the expected revision; `write` when not even the first event is there. */
function recogniseInPlace(stream: Stream, after: bigint, events: readonly ProposedEvent[]): CommitDecision {
  const first = Number(after) + 1;
  const known = events.findIndex(({ id }, i) => stream.events[first + i]?.id !== id);
  if (known === 0 || events.length === 0) return write;
  return known > 0 ? refuse : { outcome: 'already-written', revision: after + BigInt(events.length) };
}
