import { getHeapStatistics } from 'node:v8';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { DomainError } from './domain-error.js';
import { StoreUnavailable, StoreUnusable } from './store-errors.js';

type Request = { readonly call: number; readonly method: string; readonly args: readonly unknown[] };
type Answer = { readonly call: number } & ({ readonly result: unknown } | { readonly failure: Failure });

/** A message of the thread: the result of its start, answers to calls, and messages that it sends by itself. */
type Message =
  | { readonly started: true }
  | { readonly notStarted: Failure }
  | { readonly answers: readonly Answer[] }
  | { readonly message: unknown };

/** The part of an error that is sent between threads. */
export type Failure = { readonly code: string | undefined; readonly message: string };

type Method = (...args: never[]) => Promise<unknown>;
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

/**
 * More than any thread needs. V8 lets garbage grow with the maximum heap size, which on a large machine is gigabytes.
 */
const mostHeapMb = 1_024;

const heapMb = (): number => Math.min(mostHeapMb, getHeapStatistics().heap_size_limit / 1_048_576);

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
  const pending = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  let requests: Request[] = [];
  let calls = 0;
  let gone: Error | undefined;

  function send(): void {
    if (requests.length > 0) thread.postMessage(requests);
    requests = [];
  }

  function post(request: Request): void {
    if (requests.push(request) === 1) setImmediate(send);
  }

  function settle(answer: Answer): void {
    const waiting = pending.get(answer.call);
    pending.delete(answer.call);
    if ('failure' in answer) waiting?.reject(errorOf(answer.failure));
    else waiting?.resolve(answer.result);
    if (pending.size === 0) thread.unref();
  }

  function endWith(error: Error): void {
    const expected = gone !== undefined;
    gone ??= error;
    for (const { reject } of pending.values()) reject(error);
    pending.clear();
    if (!expected) onFailure(error);
  }

  function request<Result>(method: string, args: readonly unknown[]): Promise<Result> {
    return new Promise((resolve, reject) => {
      calls += 1;
      pending.set(calls, { resolve: resolve as (result: unknown) => void, reject }); // the result type of this method
      if (pending.size === 1) thread.ref();
      post({ call: calls, method, args });
    });
  }

  await new Promise<void>((resolve, reject) => {
    thread.on('message', (message: Message) => {
      if ('answers' in message) message.answers.forEach(settle);
      else if ('message' in message) onMessage(message.message);
      else if ('started' in message) resolve();
      else {
        gone = errorOf(message.notStarted);
        void thread.terminate();
        reject(gone);
      }
    });
    const end = (error: Error) => {
      reject(error); // no effect once it has started
      endWith(error);
    };
    thread.on('error', (cause) => end(new StoreUnavailable(`${what} has failed`, { cause })));
    thread.on('exit', () => end(new StoreUnavailable(`${what} has ended`)));
  });
  thread.unref();
  let measured = thread.performance.eventLoopUtilization();

  return {
    load() {
      const before = measured;
      measured = thread.performance.eventLoopUtilization();
      return thread.performance.eventLoopUtilization(measured, before).utilization;
    },
    call: (method, ...args) => (gone ? Promise.reject(gone) : request(method, args)),
    tell(method, ...args) {
      if (gone) return;
      requests.push({ call: 0, method, args });
      send();
    },
    async close() {
      if (gone) return;
      const closed = request('close', []);
      gone = new StoreUnavailable(`${what} is closed`);
      try {
        await closed;
      } finally {
        await thread.terminate();
      }
    },
  };
}

type Closable = { readonly close: () => Promise<void> };

/**
 * The thread's side: opens the module's resources, and executes the calls. `tell` sends a message to the starting
 * thread; its value must be cloneable. An error of `open` rejects `startThread`.
 */
export function serveThread<Data, Opened extends Closable>(
  open: (data: Data, tell: (value: unknown) => void) => Promise<Opened>,
): void {
  const port = parentPort;
  if (!port) throw new Error('this module runs on a worker thread');
  const say = (message: Message): void => port.postMessage(message);
  let answers: Answer[] = [];

  function answer(one: Answer): void {
    if (one.call === 0 || answers.push(one) > 1) return;
    queueMicrotask(() => {
      say({ answers });
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

  open(workerData as Data, (message) => say({ message })).then(
    (opened) => {
      const methods = new Map<string, Method>(Object.entries(opened));
      port.on('message', (requests: readonly Request[]) => {
        for (const request of requests) void perform(methods, request);
      });
      say({ started: true });
    },
    (error: unknown) => say({ notStarted: failureOf(error) }),
  );
}

export const failureOf = (error: unknown): Failure => ({
  code: error instanceof DomainError ? error.code : undefined,
  message: error instanceof Error ? error.message : String(error),
});

/** A domain error that was thrown on another thread. */
class ThrownElsewhere extends DomainError {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

export function errorOf({ code, message }: Failure): Error {
  if (code === 'store_unavailable') return new StoreUnavailable(message);
  if (code === 'store_unusable') return new StoreUnusable(message);
  return code === undefined ? new Error(message) : new ThrownElsewhere(code, message);
}
