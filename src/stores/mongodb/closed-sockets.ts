import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { MongoError, MongoNetworkError } from 'mongodb';

/** What is needed of the driver's own connections, whose class it does not export. */
type DriverConnection = {
  readonly socket: Socket;
  writeCommand(command: unknown, options: unknown): Promise<void>;
};

const { Connection } = createRequire(import.meta.url)('mongodb/lib/cmap/connection.js') as {
  readonly Connection: { readonly prototype: DriverConnection };
};

/**
 * Mends two faults of the driver (7.8 and 7.9). What it writes to a socket that is destroyed, and has not said so yet, waits
 * for a `drain` that never comes, and such a socket has no timeout; where it was the heartbeat, the client never finds the
 * server again. What it writes to one that the server has ended fails with an error of the socket's, which it takes for none
 * of the network. A server that shuts down brings both about. Here either fails as on a connection that is seen to close.
 */
export function failWritesToClosedSockets(): void {
  const { writeCommand } = Connection.prototype;
  Connection.prototype.writeCommand = function (command, options) {
    const { socket } = this;
    return new Promise((resolve, reject) => {
      const fail = (cause?: Error) =>
        reject(new MongoNetworkError('the connection has been closed', cause && { cause }));
      if (socket.destroyed) return fail();
      const closed = () => fail();
      socket.once('close', closed);
      writeCommand
        .call(this, command, options)
        .finally(() => socket.off('close', closed))
        .then(resolve, (error: Error) => {
          if (socket.destroyed && !(error instanceof MongoError)) fail(error);
          else reject(error);
        });
    });
  };
}
