import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Listening = {
  /** As a URL prefix, without a slash at the end. */
  readonly origin: string;
  /** Takes no further requests; resolves when those under way have been answered, or `timeoutMs` have passed. */
  readonly stop: (timeoutMs: number) => Promise<void>;
};

/** Slow senders may not hold a connection for ever; platforms send small requests at once. */
const requestTimeoutMs = 30_000;

/** Who listens on every address is reached from this machine on loopback. */
const everyAddress = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

/** Serves on the address. Rejects where it cannot be had (in use, not ours, not allowed). */
export async function listen(
  handler: RequestListener,
  { host, port }: { host: string; port: number },
): Promise<Listening> {
  const server = createServer({ requestTimeout: requestTimeoutMs, keepAliveTimeout: 65_000 }, handler);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, resolve);
  });
  const { address, port: bound } = server.address() as AddressInfo; // it listens on TCP
  const reached = everyAddress.get(address) ?? address;
  const name = reached.includes(':') ? `[${reached}]` : reached;
  return { origin: `http://${name}:${bound}`, stop: (timeoutMs) => stop(server, timeoutMs) };
}

const sweepEveryMs = 50;

async function stop(server: Server, timeoutMs: number): Promise<void> {
  const deadline = setTimeout(() => server.closeAllConnections(), timeoutMs);
  // A connection that has had its last answer is kept alive by its client: it goes as soon as it is idle.
  const sweeping = setInterval(() => server.closeIdleConnections(), sweepEveryMs);
  try {
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
  } finally {
    clearTimeout(deadline);
    clearInterval(sweeping);
  }
}
