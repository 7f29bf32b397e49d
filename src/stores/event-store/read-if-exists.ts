import { StreamNotFound } from './errors.js';
import type { RecordedEvent, StreamReader } from './event-store.js';

/** No events if the stream does not exist. */
export async function* readIfExists<Event>(events: AsyncIterable<Event>): AsyncGenerator<Event, void> {
  try {
    yield* events;
  } catch (error) {
    if (!(error instanceof StreamNotFound)) throw error;
  }
}

/** Undefined if there is no event or no stream. */
export async function readFirstIfExists<Event>(events: AsyncIterable<Event>): Promise<Event | undefined> {
  for await (const event of readIfExists(events)) return event;
  return undefined;
}

/** The last event of a stream; undefined if there is none. */
export const readLast = (store: StreamReader, stream: string): Promise<RecordedEvent | undefined> =>
  readFirstIfExists(store.readStream(stream, { direction: 'backwards', limit: 1 }));

/** `absent` if the stream does not exist. */
export async function resultIfExists<Result, Absent>(read: Promise<Result>, absent: Absent): Promise<Result | Absent> {
  try {
    return await read;
  } catch (error) {
    if (!(error instanceof StreamNotFound)) throw error;
    return absent;
  }
}
