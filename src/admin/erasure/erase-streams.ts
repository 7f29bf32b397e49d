import { randomUUID } from 'node:crypto';
import { inBatches } from '../../kernel/in-batches.js';
import {
  type ErasedStream,
  type ErasureEvent,
  erasureCodec,
  erasuresStream,
} from '../../stores/event-store/erasure-events.js';
import { WrongExpectedRevision } from '../../stores/event-store/errors.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { readLast } from '../../stores/event-store/read-if-exists.js';
import type { Context } from './end-stream.js';

type StreamToErase = {
  stream: string;
  listenerIds: readonly string[];
  /** Undefined: delete at any revision. */
  revision?: bigint;
};

const maxStreams = 100;
const maxListenerIds = 1_000;

/**
 * Records the deletion first. Keeps streams that get another event meanwhile. Returns the number deleted. Repeatable.
 */
export async function eraseStreams(
  store: EventStore,
  why: Extract<ErasureEvent, { type: 'StreamsErased' }>['data']['why'],
  organisation: string | null,
  streams: readonly StreamToErase[],
  context: Context,
): Promise<number> {
  let erased = 0;
  for (let at = 0; at < streams.length; at += maxStreams) {
    const chunk = await existingStreams(store, streams.slice(at, at + maxStreams));
    for (const part of partsOf(chunk)) {
      await record(store, { type: 'StreamsErased', data: { why, organisation, streams: [...part] } }, context);
    }
    const deleted = await inBatches(chunk, ({ stream, revision }) => deletedAt(store, stream, revision));
    erased += deleted.filter(Boolean).length;
  }
  return erased;
}

export async function record(store: EventStore, event: ErasureEvent, { cause, now }: Context): Promise<void> {
  await store.append(erasuresStream, [{ ...erasureCodec.encode(event, cause, now), id: randomUUID() }]);
}

type ExistingStream = { stream: string; listenerIds: readonly string[]; revision: bigint };

async function existingStreams(
  store: EventStore,
  streams: readonly StreamToErase[],
): Promise<readonly ExistingStream[]> {
  const found = await inBatches(streams, async ({ stream, listenerIds, revision: expected }) => {
    const revision = (await readLast(store, stream))?.revision;
    const isMeant = revision !== undefined && (expected === undefined || expected === revision);
    return isMeant ? { stream, listenerIds, revision } : undefined;
  });
  return found.filter((each) => each !== undefined);
}

/** False if the stream has another event since. */
export async function deletedAt(store: EventStore, stream: string, expectedRevision: bigint): Promise<boolean> {
  try {
    await store.deleteStream(stream, { expectedRevision });
    return true;
  } catch (error) {
    if (!(error instanceof WrongExpectedRevision)) throw error;
    return false;
  }
}

/** A stream with many listeners is named in several events. */
function* partsOf(streams: readonly ExistingStream[]): Generator<readonly ErasedStream[]> {
  let part: ErasedStream[] = [];
  let ids = 0;
  for (const { stream, revision, listenerIds } of streams) {
    for (let at = 0; at === 0 || at < listenerIds.length; at += maxListenerIds) {
      const some = listenerIds.slice(at, at + maxListenerIds);
      if (ids + some.length > maxListenerIds) {
        yield part;
        part = [];
        ids = 0;
      }
      part.push({ stream, revision: revision.toString(), listenerIds: some });
      ids += some.length;
    }
  }
  if (part.length > 0) yield part;
}
