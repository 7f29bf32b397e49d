import { erasureCodec, erasuresStream } from '../../stores/event-store/erasure-events.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { readIfExists } from '../../stores/event-store/read-if-exists.js';

/** The recorded erasure of a stream: its time and its actor. It distinguishes an erasure from tampering. */
type Erasure = {
  /** ISO 8601. */
  readonly at: string;
  readonly by: string | null;
};

/** Undefined where a stream was never erased. */
export type FindErasure = (stream: string) => Promise<Erasure | undefined>;

/** Finds erasures in the store's events, which are read once, at the first lookup. */
export function recordedErasures(store: Pick<EventStore, 'readStream'>): FindErasure {
  let erasures: Promise<ReadonlyMap<string, Erasure>> | undefined;

  async function read(): Promise<ReadonlyMap<string, Erasure>> {
    const found = new Map<string, Erasure>();
    for await (const recorded of readIfExists(store.readStream(erasuresStream))) {
      const event = erasureCodec.decode(recorded);
      if (event.type !== 'StreamsErased') continue;
      const { actor } = event.metadata;
      const erasure = { at: event.recordedAt, by: typeof actor === 'string' ? actor : null };
      for (const { stream } of event.data.streams) found.set(stream, erasure);
    }
    return found;
  }

  return async (stream) => {
    erasures ??= read();
    return (await erasures).get(stream);
  };
}
