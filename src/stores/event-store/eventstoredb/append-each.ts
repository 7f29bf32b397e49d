import pLimit from 'p-limit';
import { WrongExpectedRevision } from '../errors.js';
import type { AppendResult, EventForStream } from '../event-store.js';
import { type SerialisedEvent, serialise } from '../serialise.js';
import type { Append } from './append.js';

/** Per call: leaves calls of the connection to others. */
const maxConcurrentStreams = 32;

type Serialised = Pick<EventForStream, 'stream' | 'startsStream'> & { events: readonly SerialisedEvent[] };

/**
 * See the port's `appendEach`. After a failure no further append begins; rejects with the first error once those under
 * way are over.
 */
export function appendEachWith(append: (append: Append) => Promise<AppendResult>) {
  async function appendOnce({ startsStream, ...each }: Serialised): Promise<void> {
    if (startsStream) {
      try {
        // A repeat with `any` is recognised only for a limited time, but a repeat of a stream's first event always.
        await append({ ...each, expected: 'no-stream' });
        return;
      } catch (error) {
        // The stream has other events already.
        if (!(error instanceof WrongExpectedRevision)) throw error;
      }
    }
    await append({ ...each, expected: 'any' });
  }

  return async (events: readonly EventForStream[]): Promise<void> => {
    const all = events.map(
      ({ stream, event, startsStream }): Serialised => ({
        stream,
        startsStream,
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
        await appendOnce(each).catch((error: unknown) => failures.push(error));
      }
    });
    if (failures.length > 0) throw failures[0];
  };
}
