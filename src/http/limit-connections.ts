import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type LimitedConnections = {
  /** Closes the connections that have been idle for at least `idleMs`. */
  readonly closeIdle: () => void;
};

/** A client that sends one request after the other is not idle. */
const idleMs = 1_000;

/**
 * Limits the open connections of a server. A connection beyond `max` replaces another one without a request in progress: the
 * one that has been silent longest since it was opened, else the one whose last answer is the longest ago. If each has a
 * request in progress, the new one is closed. So connections that send nothing do not displace clients.
 */
export function limitConnections(server: Server, max: number): LimitedConnections {
  // Connections without a request in progress, and since when: milliseconds of `performance.now()`. The longest first.
  const silent = new Map<Socket, number>();
  const answered = new Map<Socket, number>();
  const requests = new Map<Socket, number>(); // in progress, by open connection

  function forget(socket: Socket): void {
    for (const all of [requests, silent, answered]) all.delete(socket);
  }

  server.on('connection', (socket: Socket) => {
    requests.set(socket, 0);
    silent.set(socket, performance.now());
    socket.once('close', () => forget(socket));
    if (requests.size <= max) return;
    const [replaced = socket] = (silent.size > 1 ? silent : answered).keys();
    forget(replaced); // before it has closed
    replaced.destroy();
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    silent.delete(socket);
    answered.delete(socket);
    requests.set(socket, (requests.get(socket) ?? 0) + 1);
    response.once('close', () => {
      const left = (requests.get(socket) ?? 0) - 1;
      if (left < 0) return; // the connection is closed
      requests.set(socket, left);
      if (left === 0) answered.set(socket, performance.now());
    });
  });
  return {
    closeIdle() {
      const before = performance.now() - idleMs;
      for (const [socket, since] of [...silent, ...answered]) if (since <= before) socket.destroy();
    },
  };
}
