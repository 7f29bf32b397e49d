import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventStore } from '../../../stores/event-store/event-store.js';
import { readFirstIfExists } from '../../../stores/event-store/read-if-exists.js';
import type { StreamDigest } from './stream-digest.js';

export type StreamWithFirstRevision = {
  readonly stream: string;
  readonly digest: StreamDigest;
  /** The revision of the first event in a read of the stream; undefined where the stream is empty or deleted. */
  readonly first: bigint | undefined;
};

/** Maximum number of concurrent reads: enough to hide the latency of EventStoreDB. */
const maxConcurrentReads = 16;

/**
 * Reads the first event of each stream. In EventStoreDB, a read of all events returns a deleted stream until a scavenge,
 * while a read of the stream itself does not.
 */
export async function* withFirstRevisions(
  store: Pick<EventStore, 'readStream'>,
  streams: Iterable<readonly [stream: string, digest: StreamDigest]>,
): AsyncGenerator<StreamWithFirstRevision> {
  const ask = async ([stream, digest]: readonly [string, StreamDigest]): Promise<StreamWithFirstRevision> => ({
    stream,
    digest,
    first: await firstRevision(store, stream),
  });
  let batch: Promise<StreamWithFirstRevision>[] = [];
  for (const each of streams) {
    batch.push(ask(each));
    if (batch.length < maxConcurrentReads) continue;
    yield* await Promise.all(batch);
    batch = [];
    await nextTurn(); // the embedded store answers at once: other work runs between two batches
  }
  yield* await Promise.all(batch);
}

async function firstRevision(store: Pick<EventStore, 'readStream'>, stream: string): Promise<bigint | undefined> {
  return (await readFirstIfExists(store.readStream(stream, { limit: 1 })))?.revision;
}
