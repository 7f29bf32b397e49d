import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

export type BadEndpoint = {
  url: string;
  connections: () => number;
  close: () => Promise<void>;
};

/**
 * A server that speaks bytes: `serve` gets each connection once a whole request with a JSON body has come. With `tls` it is
 * reached as `tls.example.com`.
 */
export async function badEndpoint(
  serve: (socket: Socket) => void,
  { tls, onConnection }: { tls?: TlsOptions; onConnection?: (socket: Socket) => void } = {},
): Promise<BadEndpoint> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const listen = (socket: Socket) => {
    socket.on('error', () => socket.destroy());
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
      if (received.endsWith('}')) {
        received = '';
        serve(socket);
      }
    });
  };
  const server = tls ? createTlsServer(tls, listen) : createServer(listen);
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy()); // the other side is free to break off
    onConnection?.(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `${tls ? 'https://tls.example.com' : 'http://127.0.0.1'}:${(server.address() as AddressInfo).port}/hook`,
    connections: () => connections,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Writes `chunk` every `everyMs` until the connection is gone. */
export function drip(socket: Socket, chunk: string, everyMs: number): void {
  const timer = setInterval(() => socket.write(chunk), everyMs);
  socket.on('close', () => clearInterval(timer));
}

/** Writes `beginning`, and then `more` without end, as fast as it is taken. */
export function flood(socket: Socket, beginning: string, more: string): void {
  const much = more.repeat(Math.ceil(4_096 / more.length));
  const goOn = () => {
    while (!socket.destroyed && socket.write(much));
  };
  socket.on('drain', goOn);
  socket.write(beginning);
  goOn();
}
