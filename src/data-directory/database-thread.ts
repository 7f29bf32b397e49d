import { parentPort, Worker, workerData } from 'node:worker_threads';
import { DomainError } from '../domain-error.js';
import { StoreUnavailable, StoreUnusable } from '../event-store/errors.js';

type Request = { readonly call: number; readonly method: string; readonly args: readonly unknown[] };
type Answer = { readonly call: number } & ({ readonly result: unknown } | { readonly failure: Failure });

/** What is left of an error between threads. */
type Failure = { readonly code: string | undefined; readonly message: string };

type Method = (...args: never[]) => Promise<unknown>;
type Methods<M> = { readonly [Name in keyof M]: Method };

/** Methods that another thread carries out. */
export type DatabaseThread<M extends Methods<M>> = {
  readonly call: <Name extends keyof M & string>(
    method: Name,
    ...args: Parameters<M[Name]>
  ) => Promise<Awaited<ReturnType<M[Name]>>>;
  /** Ends the thread once the calls made before have been answered; `StoreUnavailable` for those that come later. */
  readonly close: () => Promise<void>;
};

/**
 * Starts a thread that has a database for itself, so that neither its work nor its waiting for the disk holds up requests
 * and posts. `module` calls `serveDatabase`. Calls of one turn of the event loop travel together, in order. The process
 * does not stay alive for the thread unless a call is under way.
 */
export function startDatabaseThread<M extends Methods<M>>(
  module: URL,
  data: unknown,
  { what }: { readonly what: string },
): DatabaseThread<M> {
  const thread = new Worker(module, { workerData: data });
  const pending = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  let requests: Request[] = [];
  let calls = 0;
  let gone: Error | undefined;

  function send(): void {
    thread.postMessage(requests);
    requests = [];
  }

  function settle(answer: Answer): void {
    const waiting = pending.get(answer.call);
    pending.delete(answer.call);
    if ('failure' in answer) waiting?.reject(errorOf(answer.failure));
    else waiting?.resolve(answer.result);
    if (pending.size === 0) thread.unref();
  }

  function endWith(error: Error): void {
    gone ??= error;
    for (const { reject } of pending.values()) reject(error);
    pending.clear();
  }

  function request<Result>(method: string, args: readonly unknown[]): Promise<Result> {
    return new Promise((resolve, reject) => {
      calls += 1;
      pending.set(calls, { resolve: resolve as (result: unknown) => void, reject }); // what the method of this name gives
      if (pending.size === 1) thread.ref();
      if (requests.push({ call: calls, method, args }) === 1) setImmediate(send);
    });
  }

  thread.on('message', (answers: readonly Answer[]) => {
    for (const answer of answers) settle(answer);
  });
  thread.on('error', (error) => endWith(new StoreUnavailable(`${what} has failed`, { cause: error })));
  thread.on('exit', () => endWith(new StoreUnavailable(`${what} is closed`)));
  thread.unref();

  return {
    call: (method, ...args) => (gone ? Promise.reject(gone) : request(method, args)),
    async close() {
      if (gone) return;
      gone = new StoreUnavailable(`${what} is closed`);
      await request('close', []);
      await thread.terminate();
    },
  };
}

/** The thread's side: opens the database with what the thread was started with, and does what it is asked, in order. */
export function serveDatabase<Data>(open: (data: Data) => { readonly close: () => Promise<void> }): void {
  const port = parentPort;
  if (!port) throw new Error('a database is served from a worker thread');
  const opened = open(workerData as Data); // given at the start
  const methods = new Map<string, Method>(Object.entries(opened));
  let answers: Answer[] = [];

  function answer(one: Answer): void {
    if (answers.push(one) > 1) return;
    queueMicrotask(() => {
      port?.postMessage(answers);
      answers = [];
    });
  }

  async function perform({ call, method, args }: Request): Promise<void> {
    try {
      const result = await methods.get(method)?.(...(args as never[])); // the other side has the types of both
      answer({ call, result });
    } catch (error) {
      answer({ call, failure: failureOf(error) });
    }
  }

  port.on('message', (requests: readonly Request[]) => {
    for (const request of requests) void perform(request);
  });
}

const failureOf = (error: unknown): Failure => ({
  code: error instanceof DomainError ? error.code : undefined,
  message: error instanceof Error ? error.message : String(error),
});

function errorOf({ code, message }: Failure): Error {
  if (code === 'store_unavailable') return new StoreUnavailable(message);
  if (code === 'store_unusable') return new StoreUnusable(message);
  return new Error(message);
}
