import { DomainError } from '../kernel/domain-error.js';
import { StoreUnavailable } from '../kernel/store-errors.js';
import type { Context } from './context.js';
import { RateLimited, setRateLimitHeaders } from './limits/rate-limit.js';

/** The credentials are missing or not valid. `hint` goes into `WWW-Authenticate` (RFC 6750 §3.1). */
export class Unauthenticated extends DomainError {
  readonly code = 'unauthenticated';

  constructor(
    message: string,
    readonly hint: 'missing' | 'invalid_token' = 'invalid_token',
  ) {
    super(message);
  }
}

export class Forbidden extends DomainError {
  readonly code = 'forbidden';
}

/** The credentials are valid, but do not allow this (RFC 6750 §3.1). `scope` would. */
export class InsufficientScope extends DomainError {
  readonly code = 'insufficient_scope';

  constructor(readonly scope: string) {
    super(`these credentials do not have the scope ${scope}`);
  }
}

export class NotFound extends DomainError {
  readonly code = 'not_found';
}

export class MethodNotAllowed extends DomainError {
  readonly code = 'method_not_allowed';
}

/** The request is meant for another host (RFC 9110 §15.5.20). */
export class MisdirectedRequest extends DomainError {
  readonly code = 'misdirected_request';
}

export class PayloadTooLarge extends DomainError {
  readonly code = 'payload_too_large';
}

export class RequestTimeout extends DomainError {
  readonly code = 'request_timeout';
}

export class TooManyRequests extends DomainError {
  readonly code = 'too_many_requests';
}

/** HTTP statuses of the domain errors, by code. The specification requires 500 for operations that fail. */
export const errorStatuses = {
  invalid_request: 400,
  target_not_allowed: 400,
  event_type_mismatch: 400,
  seal_not_genuine: 400,
  unauthenticated: 401,
  forbidden: 403,
  insufficient_scope: 403,
  not_found: 404,
  client_not_found: 404,
  event_type_not_found: 404,
  not_set_aside: 404,
  delivery_not_found: 404,
  flow_event_not_found: 404,
  flow_event_deleted: 410,
  replay_not_found: 404,
  session_not_found: 404,
  api_key_not_found: 404,
  consent_not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  client_exists: 409,
  event_type_exists: 409,
  too_many_clients: 409,
  listener_not_registered: 409,
  listener_paused: 409,
  filter_mismatch: 409,
  rebuild_under_way: 409,
  seal_refused: 409,
  seal_work_under_way: 409,
  secrets_overlap: 409,
  payload_too_large: 413,
  misdirected_request: 421,
  too_many_requests: 429,
  too_many_listeners: 429,
  integration_task_missing: 500,
  integration_task_inactive: 500,
  listener_not_found: 500,
  store_unavailable: 503,
  key_set_unavailable: 503,
  identity_provider_unavailable: 503,
} as const satisfies Readonly<Record<string, number>>;

export type ErrorCode = keyof typeof errorStatuses;

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorStatuses, code);

/** An error of the request, not a failure of the service. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof DomainError && isErrorCode(error.code) && errorStatuses[error.code] < 500;

const defaultRetryAfterMs = 1_000;

/** Public messages for failures of the service: details such as paths and addresses are only in the log. */
const publicMessages: Readonly<Record<string, string>> = {
  store_unavailable: 'the store cannot be used now; try again shortly',
  key_set_unavailable: 'the keys of the issuer cannot be fetched now; try again shortly',
  identity_provider_unavailable: 'the identity provider cannot be reached now; try again shortly',
  internal_error: 'the service failed; its log has the details under this request id',
};

export type Failure = { readonly status: number; readonly code: string; readonly message: string };

/** Answers a failed request with the body of all errors outside the token routes. */
export function answerError(ctx: Context, error: unknown): void {
  const { status, code, message } = beginFailure(ctx, error);
  ctx.status = ctx.state.failsWith500 && status === 503 ? 500 : status;
  ctx.body = { error: code, message, requestId: ctx.state.requestId };
}

/**
 * Sets the headers of the answer to a failed request, for any form of its body. Failures of the service are logged with their
 * details, by request id.
 */
export function beginFailure(ctx: Context, error: unknown): Failure {
  const code = error instanceof DomainError && isErrorCode(error.code) ? error.code : 'internal_error';
  const publicMessage = publicMessages[code];
  const message = publicMessage ?? (error as DomainError).message; // unknown errors have a public message
  const status: number = code === 'internal_error' ? 500 : errorStatuses[code];
  if (publicMessage !== undefined) ctx.state.log.error({ err: error }, 'request failed');
  ctx.set('Cache-Control', 'no-store');
  const challenge = challengeOf(error);
  if (challenge !== undefined) ctx.set('WWW-Authenticate', challenge);
  if (error instanceof RateLimited) setRateLimitHeaders(ctx, error);
  else if (status === 503 || status === 429) ctx.set('Retry-After', retryAfter(error));
  return { status, code, message };
}

/** RFC 6750 §3.1: no error code if no credentials were sent. Undefined for errors about anything but credentials. */
function challengeOf(error: unknown): string | undefined {
  const realm = 'Bearer realm="flow-hooks"';
  if (error instanceof Unauthenticated) return error.hint === 'missing' ? realm : `${realm}, error="invalid_token"`;
  if (error instanceof InsufficientScope) return `${realm}, error="insufficient_scope", scope="${error.scope}"`;
  return undefined;
}

/** Whole seconds: platforms ignore dates. */
const retryAfter = (error: unknown): string => {
  const milliseconds = error instanceof StoreUnavailable ? error.options.retryAfterMs : undefined;
  return String(Math.ceil((milliseconds ?? defaultRetryAfterMs) / 1_000));
};
