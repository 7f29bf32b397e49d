import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from './trusted-peers.js';

type Connection = {
  socket: Socket;
  inProgress: number;
  latest: IncomingMessage | undefined;
  state: ConnectionState;
  since: number;
};

/**
 * `unfinished`: waits for a complete request, and for no answer; some are `busy`, which is noticed later. `idle`: each request has been
 * answered. `unread`: the client has not taken the whole answer. `busy`: all others.
 */
type ConnectionState = 'unfinished' | 'idle' | 'unread' | 'busy';

type ConnectionGroup = {
  isFull: () => boolean;
  isEmpty: () => boolean;
  add: (connection: Connection) => void;
  move: (connection: Connection, state: ConnectionState) => void;
  remove: (connection: Connection) => void;
  /**
   * The connection that a new one may replace: the one that has been unfinished longest, else the one that has been idle longest,
   * else the one whose answer has not been taken for longest. Undefined if there is none of these.
   */
  replaceable: () => Connection | undefined;
  /** The connections without a request, unfinished or idle, the longest in their state first. */
  withoutRequest: () => readonly Connection[];
};

/** Milliseconds. */
type Clock = () => number;

/** A request of several packets usually takes less to arrive, and an answer to be taken. */
const transferMs = 1_000;

function connectionGroup(max: number, clock: Clock): ConnectionGroup {
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
  const isFresh = ({ since }: Connection): boolean => clock() - since < transferMs;
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

export type ConnectionLimits = {
  max: number;
  /** Limit of one network: see `networkOf`. */
  maxPerNetwork: number;
  /** True for an address that many callers share, such as that of a proxy: `maxPerNetwork` does not apply to it. */
  isShared: (peerAddress: string | undefined) => boolean;
};

type LimitedConnections = {
  /** Closes the connections that have had no request for at least `idleMs`. */
  closeIdle: () => void;
};

type OpenConnection = Connection & {
  groups: readonly ConnectionGroup[];
  network: string | undefined;
};

/** A client that sends one request after the other is not idle. */
const idleMs = 1_000;

/**
 * A connection beyond a limit replaces one by the order of `replaceable`; without any it is closed. Slow or silent
 * connections do not displace clients.
 */
export function limitConnections(
  server: Server,
  { max, maxPerNetwork, isShared }: ConnectionLimits,
  clock: Clock = () => performance.now(),
): LimitedConnections {
  const all = connectionGroup(max, clock);
  const networks = new Map<string, ConnectionGroup>();
  const open = new Map<Socket, OpenConnection>();

  function connectionOf(socket: Socket): OpenConnection {
    const network = isShared(socket.remoteAddress) ? undefined : networkOf(socket.remoteAddress);
    const ofNetwork = network === undefined ? [] : [networks.get(network) ?? connectionGroup(maxPerNetwork, clock)];
    const groups = [...ofNetwork, all];
    const since = clock();
    return { socket, groups, network, inProgress: 0, latest: undefined, state: 'unfinished', since };
  }

  function move(connection: OpenConnection, state: ConnectionState): void {
    for (const group of connection.groups) group.move(connection, state);
    connection.state = state;
    connection.since = clock();
  }

  function add(connection: OpenConnection): void {
    const { socket, network, groups } = connection;
    open.set(socket, connection);
    if (network !== undefined && groups[0]) networks.set(network, groups[0]);
    for (const group of groups) group.add(connection);
    socket.once('close', () => remove(socket));
  }

  function remove(socket: Socket): void {
    const connection = open.get(socket);
    if (!connection) return;
    open.delete(socket);
    for (const group of connection.groups) group.remove(connection);
    if (connection.network !== undefined && connection.groups[0]?.isEmpty()) networks.delete(connection.network);
  }

  server.on('connection', (socket: Socket) => {
    const connection = connectionOf(socket);
    const full = connection.groups.find((group) => group.isFull());
    const replaced = full && (full.replaceable()?.socket ?? socket);
    if (replaced) remove(replaced); // before it has closed
    replaced?.destroy();
    if (replaced !== socket) add(connection);
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const connection = open.get(request.socket);
    if (!connection) return; // replaced or closed
    connection.latest = request;
    connection.inProgress += 1;
    if (connection.inProgress === 1) move(connection, 'unfinished');
    else if (connection.state !== 'unread') move(connection, 'busy');
    response.once('prefinish', () => {
      if (open.has(request.socket)) move(connection, 'unread'); // `close` follows at once, unless the client is slow
    });
    response.once('close', () => {
      connection.inProgress -= 1;
      if (!open.has(request.socket)) return;
      move(connection, connection.inProgress === 0 ? 'idle' : 'unfinished');
    });
  });
  return {
    closeIdle() {
      const before = clock() - idleMs;
      for (const { socket, since } of all.withoutRequest()) if (since <= before) socket.destroy();
    },
  };
}
