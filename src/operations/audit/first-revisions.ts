import { StreamNotFound } from '../../stores/event-store/errors.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import type { StreamDigest } from './stream-digest.js';

export type StreamWithFirstRevision = {
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
    if (batch.length < atOnce) continue;
    yield* await Promise.all(batch);
    batch = [];
  }
  yield* await Promise.all(batch);
}

async function firstRevision(store: Pick<EventStore, 'readStream'>, stream: string): Promise<bigint | undefined> {
  try {
    for await (const { revision } of store.readStream(stream, { limit: 1 })) return revision;
  } catch (error) {
    if (!(error instanceof StreamNotFound)) throw error;
  }
  return undefined;
}
