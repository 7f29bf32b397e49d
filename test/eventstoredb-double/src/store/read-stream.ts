import type { RecordedEvent } from './recorded-event.js';
import type { Stream } from './stream.js';

export type Direction = 'forwards' | 'backwards';

const least = (a: bigint, b: bigint) => (a < b ? a : b);

/** The visible events of a stream from a revision, inclusive, until there are no more. */
export function* readStream(stream: Stream, from: bigint | 'end', direction: Direction): Generator<RecordedEvent> {
  const { firstVisible, lastRevision } = stream;
  const start = from === 'end' ? lastRevision : from;
  if (direction === 'forwards') {
    const first = Math.max(firstVisible, Number(least(start, lastRevision + 1n)));
    for (let i = first; i < stream.events.length; i += 1) yield* at(stream.events, i);
  } else {
    for (let i = Number(least(start, lastRevision)); i >= firstVisible; i -= 1) yield* at(stream.events, i);
  }
}

function* at(events: readonly RecordedEvent[], index: number): Generator<RecordedEvent> {
  const event = events[index];
  if (event) yield event;
}
