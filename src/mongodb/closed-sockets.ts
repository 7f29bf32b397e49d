import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { MongoNetworkError } from 'mongodb';

/** What is needed of the driver's own connections, whose class it does not export. */
type DriverConnection = {
  readonly socket: Socket;
  writeCommand(command: unknown, options: unknown): Promise<void>;
};

const { Connection } = createRequire(import.meta.url)('mongodb/lib/cmap/connection.js') as {
  readonly Connection: { readonly prototype: DriverConnection };
};

/**
 * Mends a fault of the driver (7.8 and 7.9): what it writes to a socket that is destroyed, and has not said so yet, waits for
 * a `drain` that never comes, and such a socket has no timeout. A server that shuts down brings that about. The command then
 * waits for ever; where it was the heartbeat, the client never finds the server again. Here the write fails, as it does once
 * the socket has said so.
 */
export function failWritesToClosedSockets(): void {
  const { writeCommand } = Connection.prototype;
  Connection.prototype.writeCommand = function (command, options) {
    const { socket } = this;
    return new Promise((resolve, reject) => {
      const fail = () => reject(new MongoNetworkError('the connection has been closed'));
      if (socket.destroyed) return fail();
      socket.once('close', fail);
      const written = () => socket.off('close', fail);
      writeCommand.call(this, command, options).finally(written).then(resolve, reject);
    });
  };
}
