import type { EventLog } from './event-log.js';
import type { RecordedEvent } from './recorded-event.js';
import type { Stream } from './stream.js';

/**
 * Removes what is hidden from readers, as a scavenge of a log does whose chunks are all complete. Of a stream that was
 * deleted, as of one that its metadata hide whole, the last event stays: the stream's revisions go on behind it. Of one with
 * a tombstone only that stays. Gives the number of events removed.
 */
export function scavenge(log: EventLog): number {
  const removed = [...log.streams()].flatMap((stream) =>
    log.isTombstoned(stream.name) ? all(stream) : hidden(stream),
  );
  log.remove(removed);
  return removed.length;
}

const all = ({ events }: Stream): RecordedEvent[] => events.filter((event) => event !== undefined);

const hidden = ({ events, firstVisible }: Stream): RecordedEvent[] =>
  events.slice(0, Math.min(firstVisible, events.length - 1)).filter((event) => event !== undefined);
