import { type AllStreamResolvedEvent, type ReadPosition, START } from '@eventstore/db-client';
import type { EventFilter } from '../../event-store.js';
import type { Connection } from '../connection/connection.js';
import { pageSize, type StreamingCall } from './read-chunks.js';
import { serverFilter } from './recorded-event.js';

export type Arrival =
  | AllStreamResolvedEvent
  | { mark: 'confirmed' }
  | { mark: 'caught-up' }
  /** No event up to here, inclusive, will follow. */
  | { mark: 'checkpoint'; position: bigint };

/** Place of a position: before all events for a negative one. */
export const placeOf = (position: bigint): ReadPosition =>
  position < 0n ? START : { commit: position, prepare: position };

/** The client reports marks by listeners while earlier events still wait, so marks join the same queue. */
export function openArrivals(
  connection: Connection,
  options: { from: bigint; filter: EventFilter | undefined },
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
