import { setTimeout as pause } from 'node:timers/promises';

const measureIntervalMs = 20;
const maxLoad = 0.95;
/** Some 50 ms of work, so that the dispatcher never waits for publishers. */
const maxBacklog = 500;
const waitMs = 10;
const maxWaitMs = 100;

/** Relative to publishing a batch's events one by one: throttles without long gaps. */
const shareOfBatch = 0.1;

export type PublishingPace = (events?: number) => Promise<void>;

export type DispatcherLoad = {
  /** Busy share of the time since the previous call, 0 to 1. */
  load: () => number;
  /** Deliveries enqueued less attempted; only changes count. Undefined if other instances attempt deliveries too. */
  backlog: (() => number) | undefined;
};

/**
 * Throttles while the dispatcher thread is always busy and its backlog grows, if known; deliveries that wait for slow
 * listeners do not count. `now`: monotonic milliseconds.
 */
export function publishingPace(
  { load, backlog }: DispatcherLoad,
  { now = () => performance.now(), wait = pause }: { now?: () => number; wait?: (ms: number) => Promise<unknown> } = {},
): PublishingPace {
  let measuredAt = now();
  let isBusy = false;
  /** Deliveries that wait for listeners, not for the dispatcher. */
  let waiting = backlog?.() ?? 0;

  function isOverloaded(): boolean {
    if (now() - measuredAt >= measureIntervalMs) {
      measuredAt = now();
      isBusy = load() > maxLoad;
      if (!isBusy) waiting = Number.POSITIVE_INFINITY;
    }
    if (!backlog) return isBusy;
    waiting = Math.min(waiting, backlog());
    return isBusy && backlog() - waiting > maxBacklog;
  }

  return async (events = 1) => {
    const until = now() + maxWaitMs * Math.max(1, events * shareOfBatch);
    while (isOverloaded() && now() < until) await wait(waitMs);
  };
}
