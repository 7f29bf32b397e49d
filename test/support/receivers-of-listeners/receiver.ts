import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { type Received, serve, type TestServer } from '../serve.js';
import { until } from '../until.js';

export type Receiver = TestServer & {
  /** Sets the answer of the listener: a status, or none until the test releases the request. */
  answer: (status: number | 'nothing') => void;
  /** Resolves once at least this many have come. */
  has: (count: number) => Promise<readonly Received[]>;
  /** Resolves once this many requests wait for their answer. */
  holds: (count: number) => Promise<void>;
  /** Answers this many waiting requests, the earliest first; without it, all. */
  release: (status: number, count?: number) => Promise<void>;
};

/** A listener that stores each request, on any path. */
export async function startReceiver(port = 0, { keepAlive = true } = {}): Promise<Receiver> {
  let status: number | 'nothing' = 200;
  const held: ServerResponse[] = [];
  const answer = (response: ServerResponse) =>
    status === 'nothing' ? held.push(response) : response.writeHead(status).end();
  const server = await serve(answer, { port, keepAlive });
  return {
    ...server,
    answer: (next) => {
      status = next;
    },
    async has(count) {
      await until(() => server.received.length >= count, `${count} deliveries`);
      return server.received;
    },
    holds: (count) => until(() => held.length >= count, `${count} requests at the listener`),
    async release(status, count = held.length) {
      const waiting = held.splice(0, count);
      await Promise.all(waiting.map((response) => new Promise<void>((done) => response.writeHead(status).end(done))));
    },
  };
}

/** A listener that answers when the test says so. */
export async function startHeldReceiver(): Promise<Receiver> {
  const receiver = await startReceiver();
  receiver.answer('nothing');
  return receiver;
}

/** Throws unless the official library accepts the signature. */
export const verify = ({ headers, body }: Received, secret: string): unknown =>
  new Webhook(secret).verify(body, headers as Record<string, string>);
