import { maxAppendBytes, type RecordedEvent } from '../../stores/event-store/event-store.js';
import { appendBytesOf } from '../../stores/event-store/serialise.js';
import { copiedEvent } from './copied-event.js';

/** Consecutive events of one stream in the order of all events, so that one append keeps the order. Never empty. */
export type Run = readonly [RecordedEvent, ...RecordedEvent[]];

/** Maximum number of events in an append: a larger one overflows the buffer of a subscriber of EventStoreDB, which then restarts. */
const maxEvents = 32;

/** Divides a history into runs that fit into one append. */
export async function* runsOf(events: AsyncIterable<RecordedEvent>): AsyncGenerator<Run> {
  let run: [RecordedEvent, ...RecordedEvent[]] | undefined;
  let bytes = 0;
  for await (const event of events) {
    const size = bytesOf(event);
    if (run && run[0].stream === event.stream && run.length < maxEvents && bytes + size <= maxAppendBytes) {
      run.push(event);
      bytes += size;
      continue;
    }
    if (run) yield run;
    run = [event];
    bytes = size;
  }
  if (run) yield run;
}

/** Size of the event's copy in an append. */
function bytesOf(event: RecordedEvent): number {
  const { type, data, metadata } = copiedEvent(event);
  return appendBytesOf([{ type, data: JSON.stringify(data), metadata: JSON.stringify(metadata) }]);
}
