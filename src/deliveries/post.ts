import type { Dispatcher } from 'undici';
import { type FailureClass, failureClass } from './failure-class.js';
import type { HookPools } from './hook-pools.js';

export type HookRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Asked in the very tick in which the request would go to the socket. */
  readonly mayStart: () => boolean;
  /** For all of it: waiting for a connection, connecting, sending, and the answer with its body. */
  readonly timeoutMs: number;
};

export type PostResult =
  /** `retryAfter` is the header as it came. */
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfter: string | undefined }
  | { readonly kind: 'failed'; readonly error: FailureClass | 'timeout'; readonly status: number | undefined }
  /** `mayStart` said no: not a byte was sent. */
  | { readonly kind: 'withheld' };

export type Post = (request: HookRequest) => Promise<PostResult>;

/** What is read of an answer; a longer one is judged by its status, and its connection dropped. */
const maxAnswerBytes = 16 * 1024;

/** Sends one request to a hook, once: no redirect is followed, nothing is repeated. Never rejects. */
export const poster =
  (pools: HookPools): Post =>
  ({ url, headers, body, mayStart, timeoutMs }) =>
    new Promise((resolve) => {
      const { origin, pathname, search } = new URL(url);
      const { pool, release } = pools.acquire(origin);
      const exchange = new Exchange(mayStart, timeoutMs, (result) => {
        release();
        resolve(result);
      });
      pool.dispatch({ method: 'POST', path: pathname + search, headers, body }, exchange);
    });

/** Thrown at undici to stop a request before it is written: unlike an abort, that leaves the connection to others. */
class NotStarted extends Error {}

/** One request and its answer, as undici tells of it. The first thing that settles it counts. */
class Exchange implements Dispatcher.DispatchHandler {
  private readonly deadline: NodeJS.Timeout;
  private controller: Dispatcher.DispatchController | undefined;
  private settled = false;
  private status: number | undefined;
  private retryAfter: string | undefined;
  private answerBytes = 0;

  constructor(
    private readonly mayStart: () => boolean,
    timeoutMs: number,
    private readonly onSettled: (result: PostResult) => void,
  ) {
    this.deadline = setTimeout(() => this.expire(), timeoutMs);
  }

  /** undici calls this synchronously before it writes the request (`writeH1` in `lib/dispatcher/client-h1.js`). */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (!this.settled && !this.mayStart()) this.settle({ kind: 'withheld' });
    if (this.settled) throw new NotStarted();
    this.controller = controller;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return; // informational: the answer is still to come
    const { 'retry-after': retryAfter } = headers;
    this.status = status;
    this.retryAfter = Array.isArray(retryAfter) ? retryAfter[0] : retryAfter;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.answerBytes += chunk.length;
    if (this.answerBytes <= maxAnswerBytes) return;
    this.answer();
    controller.abort(new Error('the answer is longer than what is read of it'));
  }

  onResponseEnd(): void {
    this.answer();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.settle({ kind: 'failed', error: failureClass(error), status: this.status });
  }

  private answer(): void {
    const { status, retryAfter } = this;
    if (status !== undefined) this.settle({ kind: 'answered', status, retryAfter });
  }

  private expire(): void {
    this.settle({ kind: 'failed', error: 'timeout', status: this.status });
    this.controller?.abort(new Error('the deadline is over'));
  }

  private settle(result: PostResult): void {
    if (this.settled) return;
    this.settled = true;
    clearTimeout(this.deadline);
    this.onSettled(result);
  }
}
