import type { Context } from '../http/context.js';
import {
  Forbidden,
  MethodNotAllowed,
  MisdirectedRequest,
  PayloadTooLarge,
  RequestTimeout,
  TooManyRequests,
  Unauthenticated,
} from '../http/errors.js';
import { RateLimited, setRateLimitHeaders } from '../http/limits/rate-limit.js';
import type { GuessLimits } from '../http/limits/request-limits.js';
import { InvalidRequest } from '../kernel/domain-error.js';
import { StoreUnavailable } from '../kernel/store-errors.js';
import type { ClientAuthentication } from './clients/client-authentication.js';
import { InvalidClient, InvalidTokenRequest, OAuthError } from './errors.js';

const tokenRoute = /^\/(access|refresh|revoke|introspect)\/?$/;

/** Errors that are answered as on every route: RFC 7662 §2.3 refers to RFC 6750 for a bearer token that is not accepted. */
const answeredElsewhere = [MethodNotAllowed, MisdirectedRequest, Unauthenticated, Forbidden];

const defaultRetryAfterMs = 5_000;

/**
 * RFC 6749 §5.2; returns true if it has answered. Failures of the service are 503, never a 4xx, after which platforms
 * ask their users to sign in again.
 */
export function answerTokenError(ctx: Context, error: unknown): boolean {
  if (!tokenRoute.test(ctx.path)) return false;
  if (answeredElsewhere.some((type) => error instanceof type)) return false;
  forbidCaching(ctx);
  const refusal = refusalOf(error);
  if (refusal) {
    ctx.state.log.info({ error: refusal.code, detail: refusal.detail }, 'token request refused');
    ctx.status = statusOf(error);
    if (ctx.status === 401) ctx.set('WWW-Authenticate', 'Basic realm="flow-hooks"');
    ctx.body = { error: refusal.code, error_description: refusal.message };
    return true;
  }
  if (error instanceof RateLimited) {
    setRateLimitHeaders(ctx, error);
    ctx.status = 429;
    ctx.body = { error: 'temporarily_unavailable', error_description: error.message };
    return true;
  }
  const isCallers = error instanceof RequestTimeout || error instanceof TooManyRequests;
  ctx.state.log[isCallers ? 'info' : 'error']({ err: error }, 'token request failed');
  const retryAfterMs = error instanceof StoreUnavailable ? error.options.retryAfterMs : undefined;
  ctx.set('Retry-After', String(Math.max(1, Math.ceil((retryAfterMs ?? defaultRetryAfterMs) / 1_000))));
  ctx.status = 503;
  ctx.body = { error: 'temporarily_unavailable', error_description: 'the service cannot answer now; try again later' };
  return true;
}

function statusOf(error: unknown): number {
  if (error instanceof PayloadTooLarge) return 413;
  return error instanceof InvalidClient ? 401 : 400;
}

/** RFC 6749 §5.1: for responses that may contain tokens, and for errors. */
export function forbidCaching(ctx: Pick<Context, 'set'>): void {
  ctx.set('Cache-Control', 'no-store');
  ctx.set('Pragma', 'no-cache');
}

function refusalOf(error: unknown): OAuthError | undefined {
  if (error instanceof OAuthError) return error;
  if (error instanceof InvalidRequest || error instanceof PayloadTooLarge)
    return new InvalidTokenRequest(error.message);
  return undefined;
}

export type LimitFailures = (ctx: Context, next: () => Promise<unknown>) => Promise<void>;

/** A valid request is answered in any case. Only authenticated clients have a count: any caller can name a client. */
export const limitFailures =
  ({ failedTokenRequest }: GuessLimits, clients: ClientAuthentication): LimitFailures =>
  async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      if (error instanceof OAuthError) await failedTokenRequest(ctx, await provenClientId(ctx, clients));
      throw error;
    }
  };

async function provenClientId(ctx: Context, { check }: ClientAuthentication): Promise<string | undefined> {
  const checked = await check(ctx);
  return checked && 'client' in checked && checked.client.type === 'confidential' ? checked.client.clientId : undefined;
}
