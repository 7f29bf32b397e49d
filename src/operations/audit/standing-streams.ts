import type { EventStore } from '../../stores/event-store/event-store.js';
import { readFirstIfExists } from '../../stores/event-store/read-if-exists.js';
import type { StreamDigest } from './stream-digest.js';

export type StandingStream = {
  readonly stream: string;
  readonly digest: StreamDigest;
  /** The revision of the first event that the stream gives; undefined where it gives none. */
  readonly first: bigint | undefined;
};

const atOnce = 16;

/**
 * Asks each stream for its first event: one that was deleted in EventStoreDB stays among all events until a scavenge, and
 * for everybody who reads it by its name it is gone.
 */
export async function* standingStreams(
  store: Pick<EventStore, 'readStream'>,
  streams: Iterable<readonly [stream: string, digest: StreamDigest]>,
): AsyncGenerator<StandingStream> {
  const ask = async ([stream, digest]: readonly [string, StreamDigest]): Promise<StandingStream> => ({
    ...{ stream, digest, first: await firstRevision(store, stream) },
  });
  let batch: Promise<StandingStream>[] = [];
  for (const each of streams) {
    batch.push(ask(each));
    if (batch.length < atOnce) continue;
    yield* await Promise.all(batch);
    batch = [];
  }
  yield* await Promise.all(batch);
}

async function firstRevision(store: Pick<EventStore, 'readStream'>, stream: string): Promise<bigint | undefined> {
  return (await readFirstIfExists(store.readStream(stream, { limit: 1 })))?.revision;
}
