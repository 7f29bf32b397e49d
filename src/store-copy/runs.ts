import { maxAppendBytes, type RecordedEvent } from '../event-store/event-store.js';

/** Events of one stream that follow each other among all events: one append keeps their order. Never empty. */
export type Run = readonly [RecordedEvent, ...RecordedEvent[]];

/** A subscriber of EventStoreDB falls behind, and has to begin again, where one append holds more than it buffers. */
const maxEvents = 32;

/** Cuts a history into runs that one append may hold. */
export async function* runsOf(events: AsyncIterable<RecordedEvent>): AsyncGenerator<Run> {
  let run: [RecordedEvent, ...RecordedEvent[]] | undefined;
  let bytes = 0;
  for await (const event of events) {
    const size = Buffer.byteLength(JSON.stringify(event.data));
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
