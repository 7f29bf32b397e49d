import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { MongoError, MongoNetworkError } from 'mongodb';

/** The driver does not export its connection class. */
type DriverConnection = {
  readonly socket: Socket;
  writeCommand(command: unknown, options: unknown): Promise<void>;
};

const { Connection } = createRequire(import.meta.url)('mongodb/lib/cmap/connection.js') as {
  readonly Connection: { readonly prototype: DriverConnection };
};

/**
 * Makes writes to closed sockets fail with `MongoNetworkError`. In the driver (7.8, 7.9) a write to a destroyed socket
 * waits for ever, and if it was the heartbeat, the client never reconnects; a write to an ended socket fails with an
 * error that is not taken for a network error.
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
