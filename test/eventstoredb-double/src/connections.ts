import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { reusablePort } from './reusable-port.js';

export const host = '127.0.0.1';

const peerOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress}:${remotePort}`;

const goneMs = 1_000;

/** Destroys a socket; resolves once it is closed. One whose peer goes at the same moment may never say so. */
const destroyed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    const limit = setTimeout(gone, goneMs);
    function gone(): void {
      clearTimeout(limit);
      resolve();
    }
    if (socket.closed) gone();
    else socket.once('close', gone).resetAndDestroy();
  });

/** The port and the connections to it, apart from the gRPC server, so that one can go while the other stays. */
export class Connections {
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port: number;

  constructor(
    port: number,
    readonly onConnection: (socket: Socket) => void,
  ) {
    this.#port = port;
  }

  get port(): number {
    return this.#port;
  }

  /** Opens the port, the same one each time; nothing when it is open. */
  async open(): Promise<void> {
    if (this.#server) return;
    this.#port ||= await reusablePort();
    const server = createServer({ noDelay: true }, (socket) => this.#accept(socket));
    server.listen(this.#port, host);
    await once(server, 'listening');
    this.#server = server;
  }

  /** Closes the port to new connections. */
  close(): void {
    this.#server?.close();
    this.#server = undefined;
  }

  /** Cuts all connections, or the one of the peer that a call names. Their calls are over when this is. */
  async cut(peer?: string): Promise<void> {
    const cut = [...this.#sockets].filter((socket) => peer === undefined || peerOf(socket) === peer);
    await Promise.all(cut.map(destroyed));
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => {}); // A peer that goes is no failure here.
    socket.on('close', () => this.#sockets.delete(socket));
    this.onConnection(socket);
  }
}
