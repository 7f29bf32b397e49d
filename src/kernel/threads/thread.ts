import { getHeapStatistics } from 'node:v8';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { releaseMemoryOfStart } from '../bounded-memory.js';
import { StoreUnavailable } from '../store-errors.js';
import { errorOf, type Failure, failureOf } from './failure.js';

type Method = (...args: never[]) => Promise<unknown>;
type Methods<M> = { readonly [Name in keyof M]: Method };

type Thread<M extends Methods<M>> = {
  call: <Name extends keyof M & string>(
    method: Name,
    ...args: Parameters<M[Name]>
  ) => Promise<Awaited<ReturnType<M[Name]>>>;
  /** Calls a method without waiting for its result. */
  tell: <Name extends keyof M & string>(method: Name, ...args: Parameters<M[Name]>) => void;
  /** Utilisation since the last call or the start: 0 to 1. */
  load: () => number;
  /**
   * Calls `close` there, and ends the thread after the answers to earlier calls. Rejects with the error of that
   * `close`.
   */
  close: () => Promise<void>;
};

type ThreadOptions = {
  /** Names the thread in errors. */
  what: string;
  onMessage: (value: unknown) => void;
  /** Called when the thread ends unexpectedly. */
  onFailure: (error: Error) => void;
};

/** `call` 0: no answer is expected. */
type Request = { call: number; method: string; args: readonly unknown[] };
type Answer = { call: number } & ({ result: unknown } | { failure: Failure });

type Message = { started: true } | { notStarted: Failure } | { answers: readonly Answer[] } | { message: unknown };

/** V8 lets garbage grow with the limit, whose default on a large machine is gigabytes. */
const maxHeapMb = 1_024;

const heapMb = (): number => Math.min(maxHeapMb, getHeapStatistics().heap_size_limit / 1_048_576);

/**
 * Starts a module that calls `serveThread`; resolves once it is ready, rejects with the error of its start. Calls of
 * one turn of the event loop are sent together, in order. Keeps the process alive only during calls.
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
  request: <Result>(method: string, args: readonly unknown[]) => Promise<Result>;
  tell: (method: string, args: readonly unknown[]) => void;
  settle: (answer: Answer) => void;
  rejectAll: (error: Error) => void;
};

/** Keeps the process alive while a call has no answer. */
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
        pending.set(calls, { resolve: resolve as (result: unknown) => void, reject });
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

function utilisationOf({ performance }: Worker): () => number {
  let measured = performance.eventLoopUtilization();
  return () => {
    const before = measured;
    measured = performance.eventLoopUtilization();
    return performance.eventLoopUtilization(measured, before).utilization;
  };
}

/**
 * The thread's side of `startThread`, which an error of `open` rejects. `send` sends a cloneable message to the
 * starting thread.
 */
export function serveThread<Data, Opened extends { close: () => Promise<void> }>(
  open: (data: Data, send: (value: unknown) => void) => Promise<Opened>,
): void {
  const port = parentPort;
  if (!port) throw new Error('this module runs on a worker thread');
  const post = (message: Message): void => port.postMessage(message);
  let answers: Answer[] = [];

  function answer(one: Answer): void {
    if (one.call === 0 || answers.push(one) > 1) return;
    queueMicrotask(() => {
      post({ answers });
      answers = [];
    });
  }

  async function perform(methods: ReadonlyMap<string, Method>, { call, method, args }: Request): Promise<void> {
    try {
      const result = await methods.get(method)?.(...(args as never[])); // the other side has checked the types of both
      answer({ call, result });
    } catch (error) {
      answer({ call, failure: failureOf(error) });
    }
  }

  open(workerData as Data, (message) => post({ message })).then(
    (opened) => {
      const methods = new Map<string, Method>(Object.entries(opened));
      port.on('message', (requests: readonly Request[]) => {
        for (const request of requests) void perform(methods, request);
      });
      releaseMemoryOfStart();
      post({ started: true });
    },
    (error: unknown) => post({ notStarted: failureOf(error) }),
  );
}
