import { Socket } from 'node:net';

type Connect = (this: Socket, ...args: unknown[]) => Socket;

/** Has sockets of this process that connect to the port call `instead`, whose second argument connects. */
export function onConnect(port: number, instead: (socket: Socket, connect: () => void) => void): void {
  const connect = Socket.prototype.connect as Connect; // the arguments are passed on unchanged, for all its overloads

  function connectTo(this: Socket, ...args: unknown[]): Socket {
    const [options] = args.flat() as readonly unknown[]; // `net.connect` gives all of them as one array
    if (!isTo(port, options)) return connect.apply(this, args);
    instead(this, () => void connect.apply(this, args));
    return this;
  }

  Object.assign(Socket.prototype, { connect: connectTo });
}

const isTo = (port: number, options: unknown): boolean =>
  typeof options === 'object' && options !== null && 'port' in options && Number(options.port) === port;
