import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { limitConnections } from './limit-connections.js';

export type Listening = {
  /** URL prefix without a slash at the end. */
  readonly origin: string;
  /** Closes connections that are idle. */
  readonly closeIdle: () => void;
  /** Stops accepting requests; resolves when those in progress have been answered, or after `timeoutMs`. */
  readonly stop: (timeoutMs: number) => Promise<void>;
};

/** Bounds how long a slow sender holds a connection; platforms send small requests at once. */
const requestTimeoutMs = 30_000;

/** A server that listens on all addresses is reached from this machine through loopback. */
const loopbackOfWildcard = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

/**
 * Listens on the address. `maxConnections`: see `limitConnections`; without it there is no limit. Rejects if it is in use, not local or
 * not permitted.
 */
export async function listen(
  handler: RequestListener,
  {
    host,
    port,
    maxConnections = Number.POSITIVE_INFINITY,
  }: { readonly host: string; readonly port: number; readonly maxConnections?: number | undefined },
): Promise<Listening> {
  const server = createServer({ requestTimeout: requestTimeoutMs, keepAliveTimeout: 65_000 }, handler);
  const { closeIdle } = limitConnections(server, maxConnections);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, resolve);
  });
  const { address, port: bound } = server.address() as AddressInfo; // a TCP server
  const reachable = loopbackOfWildcard.get(address) ?? address;
  const name = reachable.includes(':') ? `[${reachable}]` : reachable;
  return { origin: `http://${name}:${bound}`, closeIdle, stop: (timeoutMs) => stop(server, timeoutMs) };
}

/** Interval between closing idle connections while the server stops. */
const closeIdleIntervalMs = 50;

async function stop(server: Server, timeoutMs: number): Promise<void> {
  const deadline = setTimeout(() => server.closeAllConnections(), timeoutMs);
  // Clients keep connections open after the last response: they are closed as soon as they are idle.
  const closingIdle = setInterval(() => server.closeIdleConnections(), closeIdleIntervalMs);
  try {
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
  } finally {
    clearTimeout(deadline);
    clearInterval(closingIdle);
  }
}
