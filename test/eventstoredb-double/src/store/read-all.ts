import type { EventLog } from './event-log.js';
import type { Direction } from './read-stream.js';
import type { RecordedEvent } from './recorded-event.js';

/** A place in the log as clients name it. */
interface Position {
  commit: bigint;
  prepare: bigint;
}

export type AllStart = Position | 'start' | 'end';

export type EventFilter = (event: RecordedEvent) => boolean;

/** A position at which no record is. */
export class NoSuchPosition extends Error {}

/** Events in the order of the log: forwards with the one at `from`, backwards without it. */
export function* readAll(log: EventLog, from: AllStart, direction: Direction): Generator<RecordedEvent> {
  let event = log.events[startIndex(log, from, direction)];
  while (event) {
    yield event;
    // By its position: while the reader had it, a scavenge may have moved the others.
    const { position }: RecordedEvent = event;
    event = log.events[direction === 'forwards' ? log.indexAfter(position) : log.indexAfter(position - 1n) - 1];
  }
}

function startIndex(log: EventLog, from: AllStart, direction: Direction): number {
  const isForwards = direction === 'forwards';
  if (from === 'start') return isForwards ? 0 : -1;
  if (from === 'end') return isForwards ? log.events.length : log.events.length - 1;
  if (isForwards && from.commit >= log.end) return log.events.length;
  if (from.commit !== 0n && !log.isRecordAt(from.commit)) throw new NoSuchPosition();
  const firstAtOrAfter = log.indexAfter(from.commit - 1n);
  return isForwards ? firstAtOrAfter : firstAtOrAfter - 1;
}

/**
 * The index at which a subscription from `from` starts: behind the event at that position. A position with an earlier
 * prepare, as in a checkpoint at the start of a page, is before the event. Beyond the end is the end.
 */
export function subscriptionIndex(log: EventLog, from: AllStart): number {
  if (from === 'start') return 0;
  if (from === 'end' || from.commit >= log.end) return log.events.length;
  if (from.commit !== 0n && !log.isRecordAt(from.commit)) throw new NoSuchPosition();
  return log.indexAfter(from.prepare < from.commit ? from.commit - 1n : from.commit);
}
