import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { until } from '../until.js';

export type Received = {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  at: number;
};

export type Receiver = {
  origin: string;
  received: readonly Received[];
  /** Sets the answer of the listener: a status, or nothing at all. */
  answer: (status: number | 'nothing') => void;
  /** Resolves once at least this many have come. */
  has: (count: number) => Promise<readonly Received[]>;
  close: () => Promise<void>;
};

/** A listener that stores each request, on any path. `keepAlive`: whether a connection serves for several posts. */
export async function startReceiver(port = 0, { keepAlive = true } = {}): Promise<Receiver> {
  const received: Received[] = [];
  let status: number | 'nothing' = 200;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    received.push({
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
      at: Date.now(),
    });
    if (status !== 'nothing') response.writeHead(status).end();
  });
  if (!keepAlive) server.maxRequestsPerSocket = 1;
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer: (next) => {
      status = next;
    },
    has: async (count) => {
      await until(() => received.length >= count, `${count} deliveries`);
      return received;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Throws unless the official library accepts the signature. */
export const verify = ({ headers, body }: Received, secret: string): unknown =>
  new Webhook(secret).verify(body, headers as Record<string, string>);
