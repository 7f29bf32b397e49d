import type { Dispatcher } from 'undici';
import { withoutTracing } from '../../kernel/tracing/span.js';
import { firstOfText } from '../../queue/delivery-log.js';
import { addressOf } from '../../queue/listener-address.js';
import { answerText } from './answer-text.js';
import { addressIn, type FailureClass, failureClass } from './failure-class.js';
import type { ListenerDispatch, ListenerPools } from './listener-pools.js';

export type ListenerRequest = {
  url: string;
  /** `POST` unless it says otherwise. */
  method?: 'DELETE';
  headers: Readonly<Record<string, string>>;
  body: string | null;
  /** Asked in the very tick in which the request would go to the socket. */
  mayStart: () => boolean;
  /** Limit of the whole: waiting for a connection, connecting, sending, and the answer with its body. */
  timeoutMs: number;
  /** Returns the headers of an answer with 2xx too; by default, only those of other answers. */
  withHeaders?: boolean;
};

export type PostResult =
  /** `brokenOff`: a 2xx, after which the answer did not end. */
  | ({ kind: 'answered'; status: number; brokenOff?: FailureClass | 'timeout' } & Seen)
  /** Failed; with a status where the answer had begun. */
  | ({ kind: 'failed'; error: FailureClass | 'timeout'; status?: number } & Seen)
  /** `mayStart` said no: not a byte was sent. */
  | { kind: 'withheld' };

/** `Retry-After` as it was sent, the headers with a line each, the first bytes of the answer's body, as text, and the address that was connected to. */
type Seen = {
  retryAfter?: string;
  headers?: string;
  answer?: string;
  address?: string;
};

export type Post = (request: ListenerRequest) => Promise<PostResult>;

/** Maximum size read of an answer's body; a longer one is judged by its status, and its connection dropped. */
const maxBodyBytes = 16 * 1024;

/**
 * Sends one request, without following redirects. Repeats it only if a reused connection was closed before any byte of
 * the answer, which is no failure of the listener. Never rejects.
 */
export const postThrough =
  (pools: ListenerPools): Post =>
  ({ url, headers, body, mayStart, timeoutMs, withHeaders = false, method = 'POST' }) =>
    new Promise((resolve) => {
      const { origin, path } = addressOf(url);
      const { pool, release } = pools.acquire(origin);
      const request: ListenerDispatch = { method, path, headers, body };
      const exchange = new Exchange(request, { mayStart, timeoutMs, withHeaders }, (result) => {
        release();
        resolve(result);
      });
      // An instrumented undici would make a span with the hook URL, and send the trace to the listener.
      withoutTracing(() => pool.dispatch(request, exchange));
    });

/** Thrown at undici to stop a request before it is written: unlike an abort, that leaves the connection to others. */
class NotStarted extends Error {}

/** One request and its answer, as a handler of undici. The first result counts. */
class Exchange implements Dispatcher.DispatchHandler {
  private readonly deadline: NodeJS.Timeout;
  private controller: Dispatcher.DispatchController | undefined;
  private settled = false;
  private isRepeated = false;
  private status: number | undefined;
  private retryAfter: string | undefined;
  private encoding: string | undefined;
  private headers: Readonly<Record<string, string | string[] | undefined>> = {};
  private address: string | undefined;
  private readonly chunks: Buffer[] = [];
  private answerBytes = 0;

  constructor(
    private readonly request: ListenerDispatch,
    private readonly limits: Required<Pick<ListenerRequest, 'mayStart' | 'timeoutMs' | 'withHeaders'>>,
    private readonly onSettled: (result: PostResult | Promise<PostResult>) => void,
  ) {
    this.deadline = setTimeout(() => this.expire(), limits.timeoutMs);
  }

  /** undici calls this synchronously before it writes the request (`writeH1` in `lib/dispatcher/client-h1.js`). */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (!this.settled && !this.limits.mayStart()) this.settle({ kind: 'withheld' });
    if (this.settled) throw new NotStarted();
    this.controller = controller;
    this.address = this.request.connection?.address;
    this.request.connection?.expectAnswer();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.status = status;
    this.headers = headers;
    this.retryAfter = first(headers['retry-after']);
    this.encoding = first(headers['content-encoding']);
    // RFC 9112 §6.3: these end with their headers, whatever `Content-Length` they have; undici would miss a body.
    if (status === 204 || status === 304) this.answer();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.answerBytes < maxBodyBytes) this.chunks.push(chunk.subarray(0, maxBodyBytes - this.answerBytes));
    this.answerBytes += chunk.length;
    if (this.answerBytes <= maxBodyBytes) return;
    this.answer();
    controller.abort(new Error('the answer is over the limit'));
  }

  onResponseEnd(): void {
    this.answer();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const { connection } = this.request;
    const failure = failureClass(error);
    if (failure === 'reset' && connection?.mayBeStale && !this.isRepeated && !this.settled) {
      this.isRepeated = true;
      connection.dispatch(this.request, this); // it connects anew
      return;
    }
    this.address ??= addressIn(error);
    this.fail(failure);
  }

  private expire(): void {
    this.fail('timeout');
    this.controller?.abort(new Error('the deadline has passed'));
  }

  private answer(brokenOff?: FailureClass | 'timeout'): void {
    const { status, retryAfter, address } = this;
    if (status === undefined) return;
    this.settleWithText({ kind: 'answered', status, retryAfter, address, ...(brokenOff && { brokenOff }) });
  }

  /** A listener that has said 2xx has the event, however the rest of its answer ends: it must not get the event again. */
  private fail(error: FailureClass | 'timeout'): void {
    if (this.controller) this.status ??= this.request.connection?.status;
    const { status, retryAfter, address } = this;
    if (isSuccess(status)) this.answer(error);
    else this.settleWithText({ kind: 'failed', error, status, retryAfter, address });
  }

  private settleWithText(settled: Extract<PostResult, Seen>): void {
    if (this.settled) return;
    const headers = isSuccess(settled.status) && !this.limits.withHeaders ? undefined : headersText(this.headers);
    const result = headers === undefined ? settled : { ...settled, headers };
    const answer = answerText(Buffer.concat(this.chunks), this.encoding);
    if (answer instanceof Promise) this.settle(answer.then((text) => ({ ...result, answer: text })));
    else this.settle(answer === undefined ? result : { answer, ...result });
  }

  private settle(result: PostResult | Promise<PostResult>): void {
    if (this.settled) return;
    this.settled = true;
    clearTimeout(this.deadline);
    this.onSettled(result);
  }
}

const isSuccess = (status = 0): boolean => status >= 200 && status < 300;

/** Secrets of the receiver. */
const isSecret = (name: string): boolean => /cookie|authori[sz]ation|secret|token|api-?key|signature/i.test(name);

function headersText(headers: Readonly<Record<string, string | string[] | undefined>>): string | undefined {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each) => `${name}: ${isSecret(name) ? '(not shown)' : each}`),
  );
  return lines.length === 0 ? undefined : firstOfText(lines.join('\n'));
}

const first = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header;
