import { type AllStreamResolvedEvent, type ReadPosition, START } from '@eventstore/db-client';
import type { EventFilter } from '../../event-store.js';
import type { Connection } from '../connection/connection.js';
import type { StreamingCall } from './read-chunks.js';
import { serverFilter } from './recorded-event.js';

/** An item or mark of a subscription, in the server's order. */
export type Arrival =
  | AllStreamResolvedEvent
  | { readonly mark: 'confirmed' }
  | { readonly mark: 'caught-up' }
  /** No event up to here, inclusive, will follow. */
  | { readonly mark: 'checkpoint'; readonly position: bigint };

/** Maximum number of waiting items; beyond that, the server waits. */
export const pageSize = 256;

/** The position of an event, as the client takes it; before all events for a negative one. */
export const placeOf = (position: bigint): ReadPosition =>
  position < 0n ? START : { commit: position, prepare: position };

/**
 * Subscribes to all events after a position. The client reports marks by listeners while earlier events still wait to
 * be read, so marks are put into the same queue.
 */
export function openArrivals(
  connection: Connection,
  options: { readonly from: bigint; readonly filter: EventFilter | undefined },
): StreamingCall {
  const stream = connection.subscribeToAll(
    {
      fromPosition: placeOf(options.from),
      filter: {
        ...serverFilter(options.filter),
        checkpointReached: (subscription, { commit }) => {
          subscription.push({ mark: 'checkpoint', position: commit } satisfies Arrival);
        },
      },
    },
    { highWaterMark: pageSize },
  );
  const put = (arrival: Arrival) => stream.push(arrival);
  stream.on('confirmation', () => put({ mark: 'confirmed' }));
  stream.on('caughtUp', () => put({ mark: 'caught-up' }));
  return { stream, needs: 'read $all', cancel: () => stream.unsubscribe() };
}
