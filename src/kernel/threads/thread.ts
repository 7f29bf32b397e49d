import { getHeapStatistics } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { StoreUnavailable } from '../store-errors.js';
import { type Answer, errorOf, type Message, type Request } from './thread-messages.js';

/** A method that another thread may call. */
export type Method = (...args: never[]) => Promise<unknown>;
export type Methods<M> = { readonly [Name in keyof M]: Method };

/** Methods that another thread executes. */
export type Thread<M extends Methods<M>> = {
  readonly call: <Name extends keyof M & string>(
    method: Name,
    ...args: Parameters<M[Name]>
  ) => Promise<Awaited<ReturnType<M[Name]>>>;
  /** Calls a method after earlier calls, without waiting for its result. */
  readonly tell: <Name extends keyof M & string>(method: Name, ...args: Parameters<M[Name]>) => void;
  /** The thread's utilisation since the last call, or since the start: from 0 to 1. */
  readonly load: () => number;
  /**
   * Calls `close` there, and ends the thread after the answers to earlier calls. Rejects with the error of that
   * `close`.
   */
  readonly close: () => Promise<void>;
};

export type ThreadOptions = {
  /** Names the thread in errors. */
  readonly what: string;
  /** Called with a message that the thread sends by itself. */
  readonly onMessage: (value: unknown) => void;
  /** The thread has ended unexpectedly. */
  readonly onFailure: (error: Error) => void;
};

/** Maximum heap size of a thread. V8 lets garbage grow with it, and its default on a large machine is gigabytes. */
const maxHeapMb = 1_024;

const heapMb = (): number => Math.min(maxHeapMb, getHeapStatistics().heap_size_limit / 1_048_576);

/**
 * Starts a module that calls `serveThread` on a thread of its own, and resolves once it is ready. Rejects with the
 * error that kept it from starting. Calls of one turn of the event loop are sent together, in order. The thread does
 * not keep the process alive unless a call is under way.
 */
export async function startThread<M extends Methods<M>>(
  module: URL,
  data: unknown,
  { what, onMessage, onFailure }: ThreadOptions,
): Promise<Thread<M>> {
  const thread = new Worker(module, { workerData: data, resourceLimits: { maxOldGenerationSizeMb: heapMb() } });
  const calls = callsTo(thread);
  let gone: Error | undefined;

  await new Promise<void>((resolve, reject) => {
    thread.on('message', (message: Message) => {
      if ('answers' in message) message.answers.forEach(calls.settle);
      else if ('message' in message) onMessage(message.message);
      else if ('started' in message) resolve();
      else {
        gone = errorOf(message.notStarted);
        void thread.terminate();
        reject(gone);
      }
    });
    const end = (error: Error) => {
      const expected = gone !== undefined;
      gone ??= error;
      reject(error); // no effect once it has started
      calls.rejectAll(error);
      if (!expected) onFailure(error);
    };
    thread.on('error', (cause) => end(new StoreUnavailable(`${what} has failed`, { cause })));
    thread.on('exit', () => end(new StoreUnavailable(`${what} has ended`)));
  });
  thread.unref();

  return {
    load: utilisationOf(thread),
    call: (method, ...args) => (gone ? Promise.reject(gone) : calls.request(method, args)),
    tell(method, ...args) {
      if (!gone) calls.tell(method, args);
    },
    async close() {
      if (gone) return;
      const closed = calls.request('close', []);
      gone = new StoreUnavailable(`${what} is closed`);
      try {
        await closed;
      } finally {
        await thread.terminate();
      }
    },
  };
}

type Calls = {
  readonly request: <Result>(method: string, args: readonly unknown[]) => Promise<Result>;
  readonly tell: (method: string, args: readonly unknown[]) => void;
  readonly settle: (answer: Answer) => void;
  readonly rejectAll: (error: Error) => void;
};

/** The calls to a thread. It keeps the process alive while one of them has no answer. */
function callsTo(thread: Worker): Calls {
  const pending = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  let requests: Request[] = [];
  let calls = 0;

  function send(): void {
    if (requests.length > 0) thread.postMessage(requests);
    requests = [];
  }

  return {
    request: <Result>(method: string, args: readonly unknown[]) =>
      new Promise<Result>((resolve, reject) => {
        calls += 1;
        pending.set(calls, { resolve: resolve as (result: unknown) => void, reject }); // the result type of this method
        if (pending.size === 1) thread.ref();
        if (requests.push({ call: calls, method, args }) === 1) setImmediate(send);
      }),
    tell(method, args) {
      requests.push({ call: 0, method, args });
      send();
    },
    settle(answer) {
      const waiting = pending.get(answer.call);
      pending.delete(answer.call);
      if ('failure' in answer) waiting?.reject(errorOf(answer.failure));
      else waiting?.resolve(answer.result);
      if (pending.size === 0) thread.unref();
    },
    rejectAll(error) {
      for (const { reject } of pending.values()) reject(error);
      pending.clear();
    },
  };
}

/** The utilisation of the thread's event loop since the last call, or since now: from 0 to 1. */
function utilisationOf({ performance }: Worker): () => number {
  let measured = performance.eventLoopUtilization();
  return () => {
    const before = measured;
    measured = performance.eventLoopUtilization();
    return performance.eventLoopUtilization(measured, before).utilization;
  };
}
