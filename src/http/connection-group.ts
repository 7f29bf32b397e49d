import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** An open connection of the server. */
export type Connection = {
  readonly socket: Socket;
  /** Number of requests whose answers are not complete. */
  inProgress: number;
  /** The last request whose headers have arrived. */
  latest: IncomingMessage | undefined;
  /** When the connection got into its state: milliseconds of `performance.now()`. */
  since: number;
};

/**
 * `unfinished`: waits for a complete request, and for no answer; `idle`: each request has been answered; `busy`: the others, and until
 * it is noticed some of the unfinished.
 */
export type ConnectionState = 'unfinished' | 'idle' | 'busy';

/** The connections that have a common maximum. */
export type ConnectionGroup = {
  readonly isFull: () => boolean;
  readonly isEmpty: () => boolean;
  /** Adds a connection: unfinished. */
  readonly add: (connection: Connection) => void;
  /** Moves a connection to a state: there it is the last one. */
  readonly move: (connection: Connection, state: ConnectionState) => void;
  readonly remove: (connection: Connection) => void;
  /**
   * The connection that a new one may replace: the one that has been unfinished longest, else the one that has been idle longest.
   * Undefined if all are busy.
   */
  readonly replaceable: () => Connection | undefined;
  /** The connections without a request, unfinished or idle, the longest in their state first. */
  readonly withoutRequest: () => readonly Connection[];
};

/** A request of several packets usually takes less to arrive. */
const arrivalMs = 1_000;

export function connectionGroup(max: number): ConnectionGroup {
  let open = 0;
  const unfinished = new Set<Connection>();
  const idle = new Set<Connection>();
  return {
    isFull: () => open >= max,
    isEmpty: () => open === 0,
    add(connection) {
      open += 1;
      unfinished.add(connection);
    },
    move(connection, state) {
      unfinished.delete(connection);
      idle.delete(connection);
      if (state === 'unfinished') unfinished.add(connection);
      if (state === 'idle') idle.add(connection);
    },
    remove(connection) {
      open -= 1;
      unfinished.delete(connection);
      idle.delete(connection);
    },
    replaceable() {
      const [longestIdle] = idle;
      for (const connection of unfinished) {
        if (connection.latest?.complete) {
          unfinished.delete(connection); // its request has arrived since: it is busy
          continue;
        }
        const mayArrive = connection.latest && performance.now() - connection.since < arrivalMs;
        return mayArrive ? (longestIdle ?? connection) : connection;
      }
      return longestIdle;
    },
    withoutRequest: () => [...[...unfinished].filter(({ latest }) => latest === undefined), ...idle],
  };
}
