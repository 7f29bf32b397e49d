import { StreamNotFound } from './errors.js';

/** The events of a read of one stream; none where the stream does not exist. */
export async function* readIfExists<Event>(events: AsyncIterable<Event>): AsyncGenerator<Event, void> {
  try {
    yield* events;
  } catch (error) {
    if (!(error instanceof StreamNotFound)) throw error;
  }
}

/** The first event of a read of one stream; undefined where there is none, or the stream does not exist. */
export async function readFirstIfExists<Event>(events: AsyncIterable<Event>): Promise<Event | undefined> {
  for await (const event of readIfExists(events)) return event;
  return undefined;
}

/** The result of a read of one stream, or `absent` where the stream does not exist. */
export async function resultIfExists<Result, Absent>(read: Promise<Result>, absent: Absent): Promise<Result | Absent> {
  try {
    return await read;
  } catch (error) {
    if (!(error instanceof StreamNotFound)) throw error;
    return absent;
  }
}
