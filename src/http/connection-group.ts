import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** An open connection of the server. */
export type Connection = {
  readonly socket: Socket;
  /** Number of requests whose answers are not complete. */
  inProgress: number;
  /** The last request whose headers have arrived. */
  latest: IncomingMessage | undefined;
  state: ConnectionState;
  /** When the connection got into its state: milliseconds of `performance.now()`. */
  since: number;
};

/**
 * `unfinished`: waits for a complete request, and for no answer; some are `busy`, which is noticed later. `idle`: each request has been
 * answered. `unread`: the client has not taken the whole answer. `busy`: all others.
 */
export type ConnectionState = 'unfinished' | 'idle' | 'unread' | 'busy';

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
   * The connection that a new one may replace: the one that has been unfinished longest, else the one that has been idle longest,
   * else the one whose answer has not been taken for longest. Undefined if there is none of these.
   */
  readonly replaceable: () => Connection | undefined;
  /** The connections without a request, unfinished or idle, the longest in their state first. */
  readonly withoutRequest: () => readonly Connection[];
};

/** A request of several packets usually takes less to arrive, and an answer to be taken. */
const transferMs = 1_000;

export function connectionGroup(max: number): ConnectionGroup {
  let open = 0;
  const unfinished = new Set<Connection>();
  const idle = new Set<Connection>();
  const unread = new Set<Connection>();
  const sets: Readonly<Record<ConnectionState, Set<Connection> | undefined>> = {
    unfinished,
    idle,
    unread,
    busy: undefined,
  };
  const isFresh = ({ since }: Connection): boolean => performance.now() - since < transferMs;
  return {
    isFull: () => open >= max,
    isEmpty: () => open === 0,
    add(connection) {
      open += 1;
      unfinished.add(connection);
    },
    move(connection, state) {
      sets[connection.state]?.delete(connection);
      sets[state]?.add(connection);
    },
    remove(connection) {
      open -= 1;
      sets[connection.state]?.delete(connection);
    },
    replaceable() {
      const [longestIdle] = idle;
      const [longestUnread] = unread;
      for (const connection of unfinished) {
        if (connection.latest?.complete) {
          unfinished.delete(connection); // its request has arrived since: it is busy
          continue;
        }
        return connection.latest && isFresh(connection) ? (longestIdle ?? connection) : connection;
      }
      return longestIdle ?? (longestUnread && !isFresh(longestUnread) ? longestUnread : undefined);
    },
    withoutRequest: () => [...[...unfinished].filter(({ latest }) => latest === undefined), ...idle],
  };
}
