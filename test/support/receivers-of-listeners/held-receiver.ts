import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../until.js';

export type HeldReceiver = {
  origin: string;
  /** The bodies of what has come, in order. */
  bodies: readonly string[];
  /** Resolves once this many requests wait for their answer. */
  holds: (count: number) => Promise<void>;
  /** Answers this many waiting requests, the earliest first; without it, all. */
  release: (status: number, count?: number) => Promise<void>;
  close: () => Promise<void>;
};

/** A listener that answers when the test says so. */
export async function startHeldReceiver(): Promise<HeldReceiver> {
  const bodies: string[] = [];
  const held: ServerResponse[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    bodies.push(Buffer.concat(chunks).toString());
    held.push(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    holds: (count) => until(() => held.length >= count, `${count} requests at the listener`),
    async release(status, count = held.length) {
      const waiting = held.splice(0, count);
      await Promise.all(waiting.map((response) => new Promise<void>((done) => response.writeHead(status).end(done))));
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
