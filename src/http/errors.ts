import { DomainError } from '../kernel/domain-error.js';
import { StoreUnavailable } from '../kernel/store-errors.js';
import type { Context, RequestState } from './context.js';
import { RateLimited, setRateLimitHeaders } from './limits/rate-limit.js';

/** The credentials are missing or not valid. `problem` goes into `WWW-Authenticate` (RFC 6750 §3.1). */
export class Unauthenticated extends DomainError {
  readonly code = 'unauthenticated';

  constructor(
    message: string,
    readonly problem: 'missing' | 'invalid_token' = 'invalid_token',
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

/** RFC 9110 §15.5.16. */
export class UnsupportedMediaType extends DomainError {
  readonly code = 'unsupported_media_type';
}

export class RequestTimeout extends DomainError {
  readonly code = 'request_timeout';
}

export class TooManyRequests extends DomainError {
  readonly code = 'too_many_requests';
}

/** The domain errors by code: HTTP status, and meaning for the API description. The specification requires 500 for operations that fail. */
const errors = {
  invalid_request: [400, 'A header, a parameter or the body is missing or not valid; the message names it.'],
  target_not_allowed: [400, 'The service does not deliver to this hook URL.'],
  event_type_mismatch: [
    400,
    'The data does not match the declared type, and the organisation refuses such flow events.',
  ],
  seal_not_genuine: [400, 'The document is no seal, or its signature is not valid.'],
  unauthenticated: [401, 'The credentials are missing or not accepted.'],
  forbidden: [403, 'The credentials are valid, but not for this organisation or route.'],
  insufficient_scope: [403, 'The credentials lack the scope that is needed.'],
  not_found: [404, 'There is no such route or object.'],
  client_not_found: [404, 'No client has this ID.'],
  event_type_not_found: [404, 'No such event type is declared.'],
  not_set_aside: [404, 'No set-aside event has this ID.'],
  delivery_not_found: [404, 'The organisation has no delivery with this ID.'],
  flow_event_not_found: [404, 'The organisation has no flow event with this ID.'],
  flow_event_deleted: [410, 'The flow event is older than the retention, and has been deleted.'],
  replay_not_found: [404, 'No replay has this ID.'],
  session_not_found: [404, 'No session has this ID.'],
  api_key_not_found: [404, 'No API key has this ID.'],
  consent_not_found: [404, 'There is no such consent.'],
  method_not_allowed: [405, 'The route does not support this method; `Allow` lists those that it does.'],
  request_timeout: [408, 'The body did not arrive in time.'],
  client_exists: [409, 'Another client has this ID.'],
  event_type_exists: [409, 'The event type is declared already.'],
  too_many_clients: [409, 'No more clients can be registered.'],
  listener_not_registered: [409, 'The listener is not registered now.'],
  listener_paused: [409, 'The listener is paused.'],
  filter_mismatch: [409, 'The filter of the listener excludes the flow event; the message says why.'],
  rebuild_under_way: [409, 'The view is being rebuilt already.'],
  seal_refused: [409, 'The seal cannot be made; the message says why.'],
  seal_work_under_way: [409, 'A seal is being made or checked already.'],
  secrets_overlap: [409, 'The previous secret is still valid; a third one cannot be added.'],
  payload_too_large: [413, 'The body, or the flow event in it, is too large.'],
  unsupported_media_type: [415, 'The charset or content coding of the body is not supported; the message names it.'],
  misdirected_request: [421, 'Development mode answers only to loopback names, and not behind a proxy.'],
  too_many_requests: [429, 'A limit is exceeded. `Retry-After` says when to try again.'],
  too_many_listeners: [429, 'The organisation has as many listeners as it may have.'],
  integration_task_missing: [500, 'No integration task is registered for the organisation, nor a default one.'],
  integration_task_inactive: [500, 'The integration task of the organisation is not active.'],
  listener_not_found: [500, 'No current listener has this ID or URL.'],
  store_unavailable: [503, 'The store cannot be used now. A retry may succeed.'],
  key_set_unavailable: [503, 'The keys of an issuer cannot be fetched now. A retry may succeed.'],
  identity_provider_unavailable: [503, 'The identity provider cannot be reached now. A retry may succeed.'],
  internal_error: [500, 'The service failed. Its log has the details, under the `requestId`.'],
} as const satisfies Readonly<Record<string, readonly [status: number, meaning: string]>>;

/** `internal_error` is any without its own code. */
export type ErrorCode = Exclude<DescribedError, 'internal_error'>;

export type DescribedError = keyof typeof errors;

export const statusOf = (code: DescribedError): number => errors[code][0];

export const meaningOf = (code: DescribedError): string => errors[code][1];

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errors, code);

/** An error of the request, not a failure of the service. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof DomainError && isErrorCode(error.code) && statusOf(error.code) < 500;

const defaultRetryAfterMs = 1_000;

/** Public messages for failures of the service: details such as paths and addresses are only in the log. */
const publicMessages: Readonly<Record<string, string>> = {
  store_unavailable: 'the store cannot be used now; try again shortly',
  key_set_unavailable: 'the keys of the issuer cannot be fetched now; try again shortly',
  identity_provider_unavailable: 'the identity provider cannot be reached now; try again shortly',
  internal_error: 'the service failed; its log has the details under this request id',
};

export type Failure = { status: number; code: string; message: string };

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
  const { status, code, message } = failureOf(error, ctx.state.log);
  ctx.set('Cache-Control', 'no-store');
  const challenge = challengeOf(error, ctx.state);
  if (challenge !== undefined) ctx.set('WWW-Authenticate', challenge);
  if (error instanceof RateLimited) setRateLimitHeaders(ctx, error);
  else if (status === 503 || status === 429) ctx.set('Retry-After', retryAfter(error));
  return { status, code, message };
}

/** The public form of an error. Failures of the service are logged with their details. */
export function failureOf(error: unknown, log: Pick<RequestState['log'], 'error'>): Failure {
  const code = error instanceof DomainError && isErrorCode(error.code) ? error.code : 'internal_error';
  const publicMessage = publicMessages[code];
  if (publicMessage !== undefined) log.error({ err: error }, 'request failed');
  return { status: statusOf(code), code, message: publicMessage ?? (error as DomainError).message }; // unknown errors have a public message
}

/** RFC 6750 §3.1: no error code if no credentials were sent. Undefined for errors about anything but credentials. */
function challengeOf(error: unknown, { signInHint }: Pick<RequestState, 'signInHint'>): string | undefined {
  const at = signInHint ? `, resource_metadata="${signInHint.resourceMetadata}"` : '';
  const realm = `Bearer realm="flow-hooks"${at}`;
  if (error instanceof Unauthenticated) {
    const needed = signInHint ? `${realm}, scope="${signInHint.scope}"` : realm;
    return error.problem === 'missing' ? needed : `${needed}, error="invalid_token"`;
  }
  if (error instanceof InsufficientScope) return `${realm}, error="insufficient_scope", scope="${error.scope}"`;
  return undefined;
}

/** Whole seconds: platforms ignore dates. */
const retryAfter = (error: unknown): string => {
  const milliseconds = error instanceof StoreUnavailable ? error.options.retryAfterMs : undefined;
  return String(Math.ceil((milliseconds ?? defaultRetryAfterMs) / 1_000));
};
