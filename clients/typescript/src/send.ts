import { FlowHooksError } from './errors.js';
import { isTransient, retryAfterMs, retryDelayMs } from './retry-delay.js';

export type Connection = {
  readonly baseUrl: string;
  readonly key: string;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly deadlineMs: number;
  readonly fetch: typeof globalThis.fetch;
};

/** Sends a request and reads the whole answer, whatever its status. Rejects with `FlowHooksError` if there is none. */
export type Send = (request: Request) => Promise<Response>;

/** Counts of the attempts of a request: those made, and those that the service refused, so that they had no effect. */
export type Attempts = { made: number; refused: number };

type Outcome = { readonly response: Response } | { readonly error: FlowHooksError };

const redirects = new Set([301, 302, 303, 307, 308]);
const withoutBody = new Set([204, 205, 304]);

/** `once`: one attempt; `repeatedly`: attempts until the answer is not transient, for requests that may be repeated. */
export function sender({ baseUrl, key, timeoutMs, retries, deadlineMs, fetch }: Connection): {
  readonly once: Send;
  /** Counts in `attempts`. */
  readonly repeatedly: (request: Request, attempts?: Attempts) => Promise<Response>;
} {
  /** Attempts with the same body. The key is added here, so that nothing else holds a request that contains it. */
  async function attemptsOf(request: Request): Promise<(limitMs: number) => Promise<Outcome>> {
    const { url, method, signal } = request;
    // A middleware, or an option of openapi-fetch, may have changed the address.
    if (!url.startsWith(`${baseUrl}/`))
      throw new FlowHooksError('the key is for `url` only', { code: 'invalid_option' });
    const headers = new Headers(request.headers);
    headers.set('authorization', `Bearer ${key}`);
    const bytes = await request.arrayBuffer();
    if (signal.aborted) throw abortedBy(signal);
    const body = bytes.byteLength === 0 ? null : bytes;
    return async (limitMs) => {
      const limit = new AbortController();
      const timer = setTimeout(() => limit.abort(), limitMs);
      try {
        const ended = AbortSignal.any([signal, limit.signal]);
        const response = await fetch(url, { method, headers, body, redirect: 'manual', signal: ended });
        return { response: await whole(response) };
      } catch (error) {
        return { error: failure(error, { signal, timedOut: limit.signal.aborted }) };
      } finally {
        clearTimeout(timer);
      }
    };
  }

  return {
    async once(request) {
      const attempt = await attemptsOf(request);
      return responseOf(await attempt(Math.min(timeoutMs, deadlineMs)));
    },

    async repeatedly(request, attempts = { made: 0, refused: 0 }) {
      const deadline = performance.now() + deadlineMs;
      const leftMs = () => deadline - performance.now();
      const attempt = await attemptsOf(request);
      for (let failed = 1; ; failed += 1) {
        attempts.made += 1;
        const outcome = await attempt(Math.min(timeoutMs, leftMs()));
        if (isRefusal(outcome)) attempts.refused += 1;
        if (failed > retries || !mayPass(outcome)) return responseOf(outcome);
        const askedMs = 'response' in outcome ? retryAfterMs(outcome.response.headers) : undefined;
        const delayMs = retryDelayMs(failed, askedMs);
        if (delayMs >= leftMs()) return responseOf(outcome);
        await pause(delayMs, request.signal);
      }
    },
  };
}

function responseOf(outcome: Outcome): Response {
  if ('error' in outcome) throw outcome.error;
  return outcome.response;
}

const mayPass = (outcome: Outcome): boolean =>
  'response' in outcome
    ? isTransient(outcome.response.status)
    : outcome.error.code === 'connection_failed' || outcome.error.code === 'timeout';

/** 408 is a proxy's too, which may have passed the request on. */
const isRefusal = (outcome: Outcome): boolean =>
  'response' in outcome && Math.floor(outcome.response.status / 100) === 4 && outcome.response.status !== 408;

/** The answer with its whole body, so that one that breaks off is an error of the attempt. Throws for redirects. */
async function whole(response: Response): Promise<Response> {
  const { status, statusText, headers, type } = response;
  if (redirects.has(status) || type === 'opaqueredirect') {
    await response.body?.cancel();
    throw new FlowHooksError(`the service redirects${targetOf(response)}; redirects are not followed`, {
      code: 'unexpected_redirect',
      status: status === 0 ? undefined : status,
      requestId: headers.get('x-request-id') ?? undefined,
    });
  }
  const body = await response.arrayBuffer();
  return new Response(withoutBody.has(status) ? null : body, { status, statusText, headers });
}

/** Target without its query, which may contain secrets. */
function targetOf({ headers, url }: Response): string {
  const location = headers.get('location');
  if (location === null || !URL.canParse(location, url || undefined)) return '';
  const { origin, pathname } = new URL(location, url || undefined);
  return ` to ${origin}${pathname}`;
}

function failure(
  error: unknown,
  { signal, timedOut }: { readonly signal: AbortSignal; readonly timedOut: boolean },
): FlowHooksError {
  if (error instanceof FlowHooksError) return error;
  if (signal.aborted) return abortedBy(signal);
  if (timedOut) return new FlowHooksError('the service did not answer in time', { code: 'timeout', cause: error });
  return new FlowHooksError(`the service cannot be reached: ${reasonOf(error)}`, {
    code: 'connection_failed',
    cause: error,
  });
}

/** `fetch` hides the reason in the cause: `ECONNREFUSED`, `other side closed`. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return cause.message || ('code' in cause ? String(cause.code) : cause.name);
}

const abortedBy = (signal: AbortSignal): FlowHooksError =>
  new FlowHooksError('the call was aborted', { code: 'aborted', cause: signal.reason });

/** Rejects with `aborted` as soon as the signal is. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(abortedBy(signal));
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', aborted);
      resolve();
    }, ms);
    function aborted(): void {
      clearTimeout(timer);
      if (signal) reject(abortedBy(signal));
    }
    signal?.addEventListener('abort', aborted, { once: true });
  });
}
