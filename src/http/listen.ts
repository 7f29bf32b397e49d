import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ConnectionLimits, limitConnections } from './limit-connections.js';

export type Listening = {
  /** URL prefix without a slash at the end. */
  origin: string;
  closeIdle: () => void;
  /** Stops accepting requests; resolves when those in progress have been answered, or after `timeoutMs`. */
  stop: (timeoutMs: number) => Promise<void>;
};

type Deadlines = {
  /** Node's deadlines for the headers and for the whole request, from its first byte or from the opening of the connection. */
  headersTimeout: number;
  requestTimeout: number;
  /** Interval between Node's checks of both; it answers 408 to a request that has missed one. */
  connectionsCheckingInterval: number;
};

/** Bodies that are read have an earlier deadline: see `readBody`. More checks would wake an idle process up more often. */
const defaultDeadlines: Deadlines = {
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 30_000,
};

/** Large, because callers may share an address that the service cannot know to be shared. */
const shareOfNetwork = 0.5;

/** A server that listens on all addresses is reached from this machine through loopback. */
const loopbackOfWildcard = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

type ListenSettings = {
  host: string;
  port: number;
  /** See `limitConnections`; without it there is no limit. */
  maxConnections?: number;
  isShared?: ConnectionLimits['isShared'];
  deadlines?: Deadlines;
};

/** Listens on the address. Rejects if it is in use, not local or not permitted. */
export async function listen(
  handler: RequestListener,
  {
    host,
    port,
    maxConnections = Number.POSITIVE_INFINITY,
    isShared = () => false,
    deadlines = defaultDeadlines,
  }: ListenSettings,
): Promise<Listening> {
  const server = createServer({ ...deadlines, keepAliveTimeout: 65_000 }, handler);
  const maxPerNetwork = Math.ceil(maxConnections * shareOfNetwork);
  const { closeIdle } = limitConnections(server, { max: maxConnections, maxPerNetwork, isShared });
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
