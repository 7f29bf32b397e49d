import pLimit from 'p-limit';
import { WrongExpectedRevision } from '../errors.js';
import type { AppendResult, EventForStream, KnownEvent } from '../event-store.js';
import { type SerialisedEvent, serialise } from '../serialise.js';
import type { Append } from './append.js';

/** Limit per call: leaves calls of the connection to others. */
const maxConcurrentStreams = 32;

type Serialised = Pick<EventForStream, 'stream' | 'startsStream'> & { id: string; events: readonly SerialisedEvent[] };

/**
 * See the port's `appendEach`. After a failure no further append begins; rejects with the first error once those under
 * way have ended.
 */
export function appendEachWith(append: (append: Append) => Promise<AppendResult>) {
  /** The highest position of an append: a result up to the one before it is that of an event that was there. */
  let appended = -1n;

  async function appendOnce({ startsStream, ...each }: Serialised): Promise<AppendResult> {
    if (startsStream) {
      try {
        // A repeat with `any` is recognised only for a limited time, but a repeat of a stream's first event always.
        return await append({ ...each, expected: 'no-stream' });
      } catch (error) {
        // The stream has other events already.
        if (!(error instanceof WrongExpectedRevision)) throw error;
      }
    }
    return append({ ...each, expected: 'any' });
  }

  /** The event, if its stream had it before. */
  async function knownBefore(each: Serialised): Promise<KnownEvent | undefined> {
    const before = appended;
    const { revision, position } = await appendOnce(each);
    if (position > appended) appended = position;
    return position >= 0n && position <= before ? { id: each.id, stream: each.stream, revision } : undefined;
  }

  return async (events: readonly EventForStream[]): Promise<readonly KnownEvent[]> => {
    const known: KnownEvent[] = [];
    const all = events.map(
      ({ stream, event, startsStream }): Serialised => ({
        stream,
        startsStream,
        id: event.id,
        events: serialise(stream, [event]),
      }),
    );
    const byStream = new Map<string, Serialised[]>();
    for (const each of all) {
      const ofStream = byStream.get(each.stream);
      if (ofStream) ofStream.push(each);
      else byStream.set(each.stream, [each]);
    }
    const failures: unknown[] = [];
    await pLimit(maxConcurrentStreams).map([...byStream.values()], async (ofStream) => {
      for (const each of ofStream) {
        if (failures.length > 0) return;
        await knownBefore(each).then(
          (event) => event && known.push(event),
          (error: unknown) => failures.push(error),
        );
      }
    });
    if (failures.length > 0) throw failures[0];
    return known;
  };
}
