import { randomUUID } from 'node:crypto';
import Router from '@koa/router';
import Koa from 'koa';
import type { Logger } from 'pino';
import { InvalidRequest } from '../kernel/domain-error.js';
import { traceparentFor, withSpan } from '../kernel/tracing/span.js';
import { validTraceparent } from '../kernel/tracing/traceparent.js';
import { answerBeforeBody } from './arriving-bodies.js';
import { type RouteBodyLimit, readBody } from './body.js';
import { type Context, type RequestState, type Routes, routeOf } from './context.js';
import { answerError, MethodNotAllowed, MisdirectedRequest, NotFound, TooManyRequests } from './errors.js';
import { isBelow, type LaterRoutes, loadRoutes } from './later-routes.js';
import { endRequestSpan, startRequestSpan } from './request-span.js';
import { type TrustedPeers, trustedPeers } from './trusted-peers.js';

type AppSettings = {
  log: Logger;
  /**
   * Development mode answers only to loopback names, so that no page elsewhere can reach it by DNS rebinding. It believes the
   * `X-Request-Id` of every caller.
   */
  loopbackNamesOnly: boolean;
  maxConcurrentRequests: number;
  routeBodyLimit?: RouteBodyLimit;
  /** Paths of earlier releases, with the present ones, which the error names. */
  formerPaths?: Readonly<Record<string, string>>;
  /** Trusted peers; undefined: none. */
  peers?: TrustedPeers;
  /** Answers errors of token routes (RFC 6749 §5.2); returns whether it has answered. */
  answerTokenError: (ctx: Context, error: unknown) => boolean;
  onAnswered?: (answered: AnsweredRequest) => void;
};

type AppRoutes = { routes: readonly Routes[]; laterRoutes?: readonly LaterRoutes[] };

export type AnsweredRequest = {
  method: string;
  /** The route's template, such as `/admin/api/deliveries`; undefined if no route has this path and method. */
  route: string | undefined;
  status: number;
  durationMs: number;
};

export function createApp(settings: AppSettings, { routes, laterRoutes = [] }: AppRoutes): Koa<RequestState> {
  const app = new Koa<RequestState>();
  app.silent = true; // errors are answered and logged by `answerFailures`
  app.use(beginRequest(settings));
  app.use(answerBeforeBody());
  app.use(answerFailures(settings));
  app.use(requireOneHost);
  if (settings.loopbackNamesOnly) app.use(requireLoopbackName);
  app.use(readBody({ routeBodyLimit: settings.routeBodyLimit }));
  app.use(limitConcurrency(settings)); // a request that has not arrived completely takes no slot
  const all: Routes = new Router<RequestState>({ sensitive: true });
  for (const some of routes) all.use(some.routes()); // one routing table: one lookup for each request
  app.use(loadRoutes(all, laterRoutes));
  app.use(all.routes());
  app.use(all.allowedMethods());
  return app;
}

type Next = () => Promise<unknown>;

const noTrustedPeers = trustedPeers({ trustedProxies: [], trustedGateways: [] });
const printable = /^[\x21-\x7e]{1,128}$/;

const beginRequest =
  ({ log, onAnswered, loopbackNamesOnly, peers = noTrustedPeers }: AppSettings) =>
  async (ctx: Context, next: Next): Promise<void> => {
    const startedAt = performance.now();
    const peer = peers.peerOf(ctx.req);
    const givenId = peer.isProxy || loopbackNamesOnly ? ctx.get('x-request-id') : '';
    const requestId = printable.test(givenId) ? givenId : randomUUID();
    const callers = validTraceparent(ctx.get('traceparent'));
    const span = startRequestSpan(ctx, callers);
    ctx.state = {
      requestId,
      peer,
      log: log.child({ requestId, traceId: span?.spanContext().traceId }),
      traceparent: traceparentFor(span, callers),
    };
    ctx.set('X-Request-Id', requestId);
    ctx.set('X-Content-Type-Options', 'nosniff');
    try {
      await withSpan(span, next);
    } finally {
      endRequestSpan(span, { method: ctx.method, route: routeOf(ctx), status: ctx.status });
    }
    const durationMs = performance.now() - startedAt;
    const { method, path, status } = ctx;
    ctx.state.log.info({ method, path, status, durationMs: Math.round(durationMs) }, 'request');
    onAnswered?.({ method, route: routeOf(ctx), status, durationMs });
  };

const answerFailures =
  ({ answerTokenError, formerPaths = {} }: AppSettings) =>
  async (ctx: Context, next: Next): Promise<void> => {
    try {
      await next();
      if (ctx.body === undefined) requireRoute(ctx, formerPaths);
    } catch (error) {
      if (!answerTokenError(ctx, error)) answerError(ctx, error);
    }
  };

/** Throws the error of a request that no route answered; the router has set `Allow` if the path has other methods. */
function requireRoute({ status, path }: Context, formerPaths: Readonly<Record<string, string>>): void {
  if (status === 404) {
    const [, present] = Object.entries(formerPaths).find(([former]) => isBelow(path, [former])) ?? [];
    throw new NotFound(`there is no route ${path}${present === undefined ? '' : `: use ${present}`}`);
  }
  if (status === 405 || status === 501)
    throw new MethodNotAllowed('this route does not support this method, see Allow');
}

/** Answered without a slot, so that an orchestrator does not restart a service that is busy. */
const healthPaths = new Set(['/healthz', '/readyz']);

/** Refuses requests above the limit with 429 at once, because more concurrency would slow down all requests. */
function limitConcurrency({ maxConcurrentRequests }: AppSettings) {
  let inProgress = 0;
  return async ({ path }: Context, next: Next): Promise<void> => {
    if (healthPaths.has(path)) {
      await next();
      return;
    }
    if (inProgress >= maxConcurrentRequests) throw new TooManyRequests('too many requests at once; try again shortly');
    inProgress += 1;
    try {
      await next();
    } finally {
      inProgress -= 1;
    }
  };
}

/** RFC 9112 §3.2: Node takes the first of several, and a proxy may have chosen another. */
async function requireOneHost({ req: { rawHeaders } }: Context, next: Next): Promise<void> {
  if (rawHeaders.filter((text, index) => index % 2 === 0 && /^host$/i.test(text)).length > 1)
    throw new InvalidRequest('the request has more than one Host header');
  await next();
}

const loopbackName = /^(localhost|[\w-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

/** Headers of proxies: behind one, every caller seems to be on this machine, and development mode believes it. */
const forwarding = /^(forwarded|x-forwarded-.+|x-real-ip)$/;

async function requireLoopbackName(ctx: Context, next: Next): Promise<void> {
  const name = ctx.host.replace(/:\d+$/, '');
  if (!loopbackName.test(name)) {
    throw new MisdirectedRequest('development mode answers only to loopback names such as 127.0.0.1 and localhost');
  }
  const header = Object.keys(ctx.headers).find((each) => forwarding.test(each));
  if (header !== undefined)
    throw new MisdirectedRequest(`development mode is not for use behind a proxy, which sent ${header}`);
  await next();
}
