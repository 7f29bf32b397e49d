import { Socket } from 'node:net';

// Loaded into an instance before anything else (`--import`): its connections to the port SLOW_CONNECT_PORT take as long as
// those to a far listener may, so that posts go to their sockets when their permits are about to run out.

const port = Number(process.env.SLOW_CONNECT_PORT);
const longestMs = 250;

type Connect = (this: Socket, ...args: unknown[]) => Socket;

const connect = Socket.prototype.connect as Connect; // the arguments are passed on unchanged, for all its overloads

function connectSlowly(this: Socket, ...args: unknown[]): Socket {
  const [options] = args.flat() as readonly unknown[]; // `net.connect` gives all of them as one array
  if (!isToPort(options)) return connect.apply(this, args);
  setTimeout(() => connect.apply(this, args), Math.random() * longestMs);
  return this;
}

const isToPort = (options: unknown): boolean =>
  typeof options === 'object' && options !== null && 'port' in options && Number(options.port) === port;

Object.assign(Socket.prototype, { connect: connectSlowly });
