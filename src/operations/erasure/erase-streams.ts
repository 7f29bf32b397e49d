import { randomUUID } from 'node:crypto';
import {
  type ErasedStream,
  type ErasureEvent,
  erasureCodec,
  erasuresStream,
} from '../../stores/event-store/erasure-events.js';
import { WrongExpectedRevision } from '../../stores/event-store/errors.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { readFirstIfExists } from '../../stores/event-store/read-if-exists.js';
import type { Context } from './end-stream.js';
import { inWaves } from './in-waves.js';

export type StreamToErase = {
  readonly stream: string;
  readonly listenerIds: readonly string[];
  /** Only where it is still there; without it, wherever it is. */
  readonly revision?: bigint;
};

/** So many streams, and registrations, are named in one event, far from the most that one may hold. */
const atOnce = 100;
const maxListenerIds = 1_000;

/**
 * Deletes streams for good, after an event has said so. Those that are not there are left out; one that goes on meanwhile
 * stays. Returns how many were deleted. Repeatable.
 */
export async function eraseStreams(
  store: EventStore,
  why: Extract<ErasureEvent, { type: 'StreamsErased' }>['data']['why'],
  organisation: string | null,
  streams: readonly StreamToErase[],
  context: Context,
): Promise<number> {
  let erased = 0;
  for (let at = 0; at < streams.length; at += atOnce) {
    const chunk = await standing(store, streams.slice(at, at + atOnce));
    for (const part of partsOf(chunk)) {
      await record(store, { type: 'StreamsErased', data: { why, organisation, streams: [...part] } }, context);
    }
    const deleted = await inWaves(chunk, ({ stream, revision }) => deletedAt(store, stream, revision));
    erased += deleted.filter(Boolean).length;
  }
  return erased;
}

/** Appends one event to the record of erasures. */
export async function record(store: EventStore, event: ErasureEvent, { cause, now }: Context): Promise<void> {
  await store.append(erasuresStream, [{ ...erasureCodec.encode(event, cause, now), id: randomUUID() }]);
}

type Standing = { readonly stream: string; readonly listenerIds: readonly string[]; readonly revision: bigint };

async function standing(store: EventStore, streams: readonly StreamToErase[]): Promise<readonly Standing[]> {
  const found = await inWaves(streams, async ({ stream, listenerIds, revision: wanted }) => {
    const revision = await lastRevision(store, stream);
    const isMeant = revision !== undefined && (wanted === undefined || wanted === revision);
    return isMeant ? { stream, listenerIds, revision } : undefined;
  });
  return found.filter((each) => each !== undefined);
}

async function lastRevision(store: EventStore, stream: string): Promise<bigint | undefined> {
  return (await readFirstIfExists(store.readStream(stream, { direction: 'backwards', limit: 1 })))?.revision;
}

async function deletedAt(store: EventStore, stream: string, expectedRevision: bigint): Promise<boolean> {
  try {
    await store.deleteStream(stream, { expectedRevision });
    return true;
  } catch (error) {
    if (!(error instanceof WrongExpectedRevision)) throw error;
    return false; // it has gone on since
  }
}

/** What one event names: a stream of very many registrations comes in several of them. */
function* partsOf(streams: readonly Standing[]): Generator<readonly ErasedStream[]> {
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
