import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { MongoError, MongoNetworkError } from 'mongodb';

/** The members used of the driver's internal connection class, which it does not export. */
type DriverConnection = {
  readonly socket: Socket;
  writeCommand(command: unknown, options: unknown): Promise<void>;
};

const { Connection } = createRequire(import.meta.url)('mongodb/lib/cmap/connection.js') as {
  readonly Connection: { readonly prototype: DriverConnection };
};

/**
 * Works around two faults of the driver (7.8 and 7.9), which occur when a server shuts down. A write to a destroyed
 * socket that has not emitted `close` yet waits for a `drain` event that never comes, without a timeout; if it was the
 * heartbeat, the client never reconnects. A write to a socket that the server has ended fails with a socket error,
 * which the driver does not treat as a network error. With this function, both fail with `MongoNetworkError`.
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
