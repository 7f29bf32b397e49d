import { setImmediate as nextTurn } from 'node:timers/promises';
import { alignedDelay } from './aligned-delay.js';

type Interval = { callbacks: Set<() => void>; timer: NodeJS.Timeout; waiting: number };

const intervals = new Map<number, Interval>();

/**
 * Calls a function at an interval, by one timer for all functions of that interval on this thread, so that they wake
 * the process once, together with other intervals. Does not keep the process alive. Returns the function that stops it.
 */
export function everyInterval(intervalMs: number, callback: () => unknown): () => void {
  const once = () => void callback(); // a set would merge two calls of the same function
  intervalOf(intervalMs).callbacks.add(once);
  return () => {
    const interval = intervals.get(intervalMs);
    interval?.callbacks.delete(once);
    if (!interval || interval.callbacks.size > 0) return;
    clearTimeout(interval.timer);
    intervals.delete(intervalMs);
  };
}

function intervalOf(intervalMs: number): Interval {
  const known = intervals.get(intervalMs);
  if (known) return known;
  const callbacks = new Set<() => void>();
  const tick = () => {
    interval.timer = setTimeout(tick, alignedDelay(intervalMs));
    if (interval.waiting === 0) interval.timer.unref();
    for (const callback of [...callbacks]) {
      if (!callbacks.has(callback)) continue; // an earlier one has stopped it
      try {
        callback();
      } catch (error) {
        queueMicrotask(() => {
          throw error; // not here, so that the others are called
        });
      }
    }
  };
  const interval: Interval = { callbacks, timer: setTimeout(tick, alignedDelay(intervalMs)).unref(), waiting: 0 };
  intervals.set(intervalMs, interval);
  return interval;
}

/**
 * Resolves to true at the next tick of a shared interval, to false when the signal aborts. Keeps the process alive
 * until then.
 */
export function nextInterval(intervalMs: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const interval = intervalOf(intervalMs);
    const settle = (result: boolean) => {
      interval.waiting -= 1;
      if (interval.waiting === 0) interval.timer.unref();
      stop();
      signal.removeEventListener('abort', abort);
      resolve(result);
    };
    const abort = () => settle(false);
    interval.waiting += 1;
    interval.timer.ref();
    const stop = everyInterval(intervalMs, () => settle(true));
    signal.addEventListener('abort', abort);
  });
}

/**
 * The callers of one turn of the event loop share one execution, which begins after their calls: none gets a result from
 * before its call. For callers that are woken together, as by `nextInterval`.
 */
export function sharedInTurn<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let reading: Promise<Result> | undefined;

  async function readInNextTurn(): Promise<Result> {
    await nextTurn();
    reading = undefined; // later calls need a later execution
    return read();
  }

  return () => {
    reading ??= readInNextTurn();
    return reading;
  };
}
