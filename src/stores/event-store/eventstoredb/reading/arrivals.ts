import { type AllStreamResolvedEvent, type ReadPosition, START } from '@eventstore/db-client';
import type { EventFilter } from '../../event-store.js';
import type { Connection } from '../connection/connection.js';
import type { StreamingCall } from './read-chunks.js';
import { serverFilter } from './recorded-event.js';

/** What a subscription brings, in the order in which the server said it. */
export type Arrival =
  | AllStreamResolvedEvent
  | { readonly mark: 'confirmed' }
  | { readonly mark: 'caught-up' }
  /** No event up to here, inclusive, is still to come. */
  | { readonly mark: 'checkpoint'; readonly position: bigint };

/** So many arrivals wait at most; then the server has to. */
export const pageSize = 256;

/** The place of an event, as the client wants it. Before all events where there is none. */
export const placeOf = (position: bigint): ReadPosition =>
  position < 0n ? START : { commit: position, prepare: position };

/**
 * Subscribes to all events behind a position. The client calls listeners with marks while events that came before still
 * wait to be read, so marks are put in the same line.
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
  return { stream, cancel: () => stream.unsubscribe() };
}
