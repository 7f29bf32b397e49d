import { pino } from 'pino';
import { publishedBodyLimit } from '../../../src/flows/publishing/media-types.js';
import { createApp } from '../../../src/http/app.js';
import type { Routes } from '../../../src/http/context.js';
import { listen } from '../../../src/http/listen.js';
import { trustedPeers } from '../../../src/http/trusted-peers.js';

export type Served = {
  origin: string;
  get: (path: string, headers?: Headers) => Promise<Answer>;
  /** Posts the value as JSON; a string goes as it is. */
  post: (path: string, body: unknown, headers?: Headers) => Promise<Answer>;
  close: () => Promise<void>;
};

type Headers = Readonly<Record<string, string>>;
export type Answer = { status: number; body: Record<string, unknown> };

/** Serves routes as the service does: bodies read, errors made into statuses. Callers are trusted as a proxy is. */
export async function serveRoutes(...routes: Routes[]): Promise<Served> {
  const app = createApp(
    {
      log: pino({ level: 'silent' }),
      routeBodyLimit: publishedBodyLimit,
      loopbackNamesOnly: false,
      maxConcurrentRequests: 1_000,
      peers: trustedPeers({ trustedProxies: ['127.0.0.1/32'], trustedGateways: [] }),
      answerTokenError: () => false,
    },
    { routes },
  );
  const { origin, stop } = await listen(app.callback(), { host: '127.0.0.1', port: 0 });
  const send = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(`${origin}${path}`, init);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return {
    origin,
    get: (path, headers = {}) => send(path, { headers }),
    post: (path, body, headers = {}) =>
      send(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    close: () => stop(0),
  };
}
