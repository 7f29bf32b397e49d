import { Socket } from 'node:net';

// Loaded into an instance before anything else (`--import`): its connections to the port NO_EGRESS_PORT fail as on a machine without a
// network.

const port = Number(process.env.NO_EGRESS_PORT);

type Connect = (this: Socket, ...args: unknown[]) => Socket;

const connect = Socket.prototype.connect as Connect; // the arguments are passed on unchanged, for all its overloads

function connectUnless(this: Socket, ...args: unknown[]): Socket {
  const [options] = args.flat() as readonly unknown[]; // `net.connect` gives all of them as one array
  if (!isToPort(options)) return connect.apply(this, args);
  setImmediate(() => this.destroy(Object.assign(new Error('connect ENETUNREACH'), { code: 'ENETUNREACH' })));
  return this;
}

const isToPort = (options: unknown): boolean =>
  typeof options === 'object' && options !== null && 'port' in options && Number(options.port) === port;

Object.assign(Socket.prototype, { connect: connectUnless });
