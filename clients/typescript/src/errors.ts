import type { PublishResult } from './types.js';

export type FlowHooksErrorDetails = {
  readonly code: string;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly results?: readonly PublishResult[] | undefined;
  readonly cause?: unknown;
};

/** The error of everything in this package. Neither it nor its `cause` contains the key or the body of a request. */
export class FlowHooksError extends Error {
  override readonly name = 'FlowHooksError';
  /** Stable, for programs: the `error` of the service, or one of this package; the README lists these. */
  readonly code: string;
  /** HTTP status; undefined if there was no answer. */
  readonly status: number | undefined;
  /** ID by which the log of the service names failures; undefined without an answer. */
  readonly requestId: string | undefined;
  /** Time that the last answer asked for before the next attempt (`Retry-After`), in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /**
   * Results of `publish` and `publishBatch` for each event, in order, with the ids that were made. Those that are `unknown` or
   * `not_recorded` may be published again under these ids. Undefined if nothing was sent.
   */
  readonly results: readonly PublishResult[] | undefined;

  constructor(message: string, { code, status, requestId, retryAfterMs, results, cause }: FlowHooksErrorDetails) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
    this.results = results;
  }
}

/** The same error with the results of the events. Other errors stay as they are. */
export function withResults(error: unknown, results: readonly PublishResult[] | undefined): unknown {
  if (!(error instanceof FlowHooksError)) return error;
  const { message, code, status, requestId, retryAfterMs, cause } = error;
  return new FlowHooksError(message, { code, status, requestId, retryAfterMs, results, cause });
}
