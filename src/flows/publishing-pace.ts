import { setTimeout as pause } from 'node:timers/promises';

/** Minimum interval between measurements of the load, so that a burst is measured once. */
const measureIntervalMs = 20;
/** Share of time above which the dispatcher may be falling behind. */
const maxLoad = 0.95;
/** Deliveries that may wait for the dispatcher: some 50 ms of its work, so that it never waits for publishers. */
const maxBacklog = 500;
/** Interval between looks at the backlog while a publisher waits. */
const waitMs = 10;
/** Maximum wait of a publisher. */
const maxWaitMs = 100;

/** A batch waits at most as long as this share of its events, published one after the other: enough to throttle, without long gaps. */
const shareOfBatch = 0.1;

/** Waits for as long as publishing is throttled at the moment, a request for this number of events. */
export type PublishingPace = (events?: number) => Promise<void>;

export type DispatcherLoad = {
  /** The share of time, from 0 to 1, in which the dispatcher was busy since the previous call. */
  readonly load: () => number;
  /** The number of deliveries enqueued, less those attempted. Only its changes count. Undefined if other instances attempt them too. */
  readonly backlog: (() => number) | undefined;
};

/**
 * Throttles publishers while the dispatcher thread is busy all the time and its backlog has grown since it last was not, so that flow
 * events are not accepted faster than they can be dispatched. Deliveries that wait for slow listeners do not count. Without a backlog
 * the load alone counts. `now`: a monotonic clock in milliseconds.
 */
export function publishingPace(
  { load, backlog }: DispatcherLoad,
  { now = () => performance.now(), wait = pause }: { now?: () => number; wait?: (ms: number) => Promise<unknown> } = {},
): PublishingPace {
  let measuredAt = now();
  let isBusy = false;
  /** Deliveries that wait for something else than the dispatcher. */
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
