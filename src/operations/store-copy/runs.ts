import { maxAppendBytes, type RecordedEvent } from '../../stores/event-store/event-store.js';
import { appendBytesOf } from '../../stores/event-store/serialise.js';
import { copiedEvent } from './copied-event.js';

/** Events of one stream that follow each other among all events: one append keeps their order. Never empty. */
export type Run = readonly [RecordedEvent, ...RecordedEvent[]];

/** A subscriber of EventStoreDB falls behind, and has to begin again, where one append holds more than it buffers. */
const maxEvents = 32;

/** Cuts a history into runs that one append may hold. */
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

/** As its copy counts towards an append. */
function bytesOf(event: RecordedEvent): number {
  const { type, data, metadata } = copiedEvent(event);
  return appendBytesOf([{ type, data: JSON.stringify(data), metadata: JSON.stringify(metadata) }]);
}
