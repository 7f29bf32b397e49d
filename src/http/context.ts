import type Router from '@koa/router';
import type { ParameterizedContext } from 'koa';
import type { Logger } from 'pino';
import type { Cause } from '../stores/event-store/codec.js';

/** What every request has, whatever the route. */
export type RequestState = {
  /** From `X-Request-Id` where it is printable and short, else made here; in every error body and log line. */
  readonly requestId: string;
  readonly log: Logger;
  /** `traceparent` of the request (W3C Trace Context), if it has one. */
  readonly traceparent: string | undefined;
  /** Why the body could not be read. Kept until a route asks for the body: identity is judged before it. */
  bodyError?: Error;
  /** See `answerFailuresWith500`. */
  failsWith500?: boolean;
};

export type Routes = Router<RequestState>;
export type Context = ParameterizedContext<RequestState>;

/** For subscribe, unsubscribe and perform-list: the specification wants 500 where other routes answer 503. */
export async function answerFailuresWith500(ctx: Context, next: () => Promise<unknown>): Promise<void> {
  ctx.state.failsWith500 = true;
  await next();
}

/** The cause of what this request appends. */
export const causeOf = ({ requestId, traceparent }: RequestState, actor: string): Cause => ({
  actor,
  correlationId: requestId,
  ...(traceparent && { traceparent }),
});
