import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Document } from 'mongodb';
import { documentOf, onMessages } from '../../test/support/mongodb/faults/wire-messages.js';

/** Commands and written documents, by command and collection. */
export type Counts = ReadonlyMap<string, { commands: number; written: number }>;

export type MongoDbRelay = {
  url: string;
  /** Counts since the last call. */
  counts: () => Counts;
  stop: () => Promise<void>;
};

const writes = new Set(['insert', 'update', 'delete', 'findAndModify']);
/** Commands of the driver, for its connections. */
const ownCommands = new Set(['hello', 'ismaster', 'isMaster', 'endSessions', 'killCursors', 'ping']);

/** Relays one host, counts what passes, and hands it on `delayMs` later, each way. */
export async function startMongoDbRelay(target: string, delayMs = 0): Promise<MongoDbRelay> {
  const to = new URL(target);
  const counted = new Map<string, { commands: number; written: number }>();
  const sockets = new Set<Socket>();

  function note(command: Document, answer: Document): void {
    const [name = ''] = Object.keys(command);
    if (ownCommands.has(name)) return;
    const key = typeof command[name] === 'string' ? `${name} ${command[name]}` : name;
    const { commands, written } = counted.get(key) ?? { commands: 0, written: 0 };
    counted.set(key, { commands: commands + 1, written: written + (writes.has(name) ? Number(answer.n ?? 0) : 0) });
  }

  /** Timers of the same length end in their order. */
  const later = (hand: () => void) => void (delayMs > 0 ? setTimeout(hand, delayMs) : hand());

  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ host: to.hostname, port: Number(to.port), noDelay: true });
    const sent = new Map<number, Document>();
    for (const [socket, other] of [[near, far] as const, [far, near] as const]) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => other.destroy());
    }
    onMessages(near, (request) => {
      sent.set(request.readInt32LE(4), documentOf(request));
      later(() => far.write(request));
    });
    onMessages(far, (answer) => {
      const command = sent.get(answer.readInt32LE(8));
      sent.delete(answer.readInt32LE(8));
      if (command) note(command, documentOf(answer));
      later(() => near.write(answer));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const near = new URL(target);
  near.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url: near.href,
    counts() {
      const counts = new Map(counted);
      counted.clear();
      return counts;
    },
    async stop() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
