import type Router from '@koa/router';
import type { ParameterizedContext } from 'koa';
import type { Logger } from 'pino';
import type { Cause } from '../stores/event-store/codec.js';
import type { Peer } from './trusted-peers.js';

export type RequestState = {
  /**
   * ID in every error body and log line, and the correlation id of events. Taken from `X-Request-Id` if a trusted peer sent it and it is
   * printable and at most 128 characters, else generated.
   */
  requestId: string;
  peer: Peer;
  log: Logger;
  /** The trace of the request (W3C Trace Context), as the events that it appends name it: its span, else the caller's. */
  traceparent: string | undefined;
  /** Parsed JSON or form; bytes, if the route parses them; undefined for other bodies. */
  body?: unknown;
  /** Parse error of the body, kept until a route needs the body: the caller is identified first. */
  bodyError?: Error;
  failsWith500?: boolean;
  /** Tells callers without a token how they get one (RFC 9728 §5.1). */
  signInHint?: { resourceMetadata: string; scope: string };
};

export type RequestOrigin = Pick<RequestState, 'requestId' | 'traceparent'>;

export type Routes = Router<RequestState>;
export type Context = ParameterizedContext<RequestState>;

/** Serves subscribe, unsubscribe and perform-list: the specification requires 500 where other routes answer 503. */
export async function answerFailuresWith500(ctx: Context, next: () => Promise<unknown>): Promise<void> {
  ctx.state.failsWith500 = true;
  await next();
}

/** Serves GET routes that begin something, a session for example: a HEAD, which previews and scanners of links send, begins nothing. */
export async function beginNothingForHead(ctx: Context, next: () => Promise<unknown>): Promise<void> {
  if (ctx.method !== 'HEAD') return void (await next());
  ctx.set('Cache-Control', 'no-store');
  ctx.body = '';
}

export const causeOf = ({ requestId, traceparent }: RequestOrigin, actor: string): Cause => ({
  actor,
  correlationId: requestId,
  ...(traceparent && { traceparent }),
});

type MatchedLayer = { path: string | RegExp; methods: readonly string[] };

/**
 * The template of the request's route, such as `/admin/api/deliveries/:id`; undefined if no route has this path and method.
 * From the layers that the router matched, of which the first one answers: after a middleware has thrown, the router's own field is
 * the middleware's path.
 */
export const routeOf = (ctx: Pick<Context, 'method'>): string | undefined => {
  const { matched = [] } = ctx as { matched?: readonly MatchedLayer[] };
  return matched.find(({ methods }) => methods.includes(ctx.method))?.path.toString();
};

/** Aborted when the connection is closed, so that work ends for which no caller waits any more. */
export function goneSignal({ res }: Pick<Context, 'res'>): AbortSignal {
  const gone = new AbortController();
  const abort = () => gone.abort(new Error('the caller has gone'));
  if (res.closed) abort();
  else res.once('close', abort);
  return gone.signal;
}

/** The client's address, for limits and logs. Undefined if the connection is closed. */
export const addressOf = ({ state }: Pick<Context, 'state'>): string | undefined => state.peer.address;

/** The host that the caller requested: `X-Forwarded-Host` if a trusted peer sent it, else `Host`. */
export function requestedHost(ctx: Context): string {
  const forwarded = ctx.get('x-forwarded-host').split(',')[0]?.trim();
  return forwarded && ctx.state.peer.isProxy ? forwarded : ctx.host;
}
