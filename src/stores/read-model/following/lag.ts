import type { EventStore } from '../../event-store/event-store.js';
import { filterOf } from '../project.js';
import type { Projection } from '../projection.js';

export type Lag = {
  /** Unhandled events in its categories. */
  readonly events: number;
  /** Events are counted up to a limit: there may be more. */
  readonly orMore: boolean;
  /** Age of the first of them; 0 where there is none. */
  readonly seconds: number;
};

/** Bounds the cost of reading them. */
const countedAtMost = 1_000;

export async function lagBehind(
  store: Pick<EventStore, 'readAll'>,
  projection: Projection,
  from: bigint | undefined,
): Promise<Lag> {
  let events = 0;
  let first: Date | undefined;
  const range = { ...(from !== undefined && { from }), filter: filterOf(projection), limit: countedAtMost };
  for await (const { created } of store.readAll(range)) {
    first ??= created;
    events += 1;
  }
  // The store's clock may be ahead.
  const seconds = first ? Math.max(0, (Date.now() - first.getTime()) / 1_000) : 0;
  return { events, orMore: events === countedAtMost, seconds };
}
