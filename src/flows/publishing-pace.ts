import { setTimeout as pause } from 'node:timers/promises';

/** Minimum interval between measurements of the load, so that a burst is measured once. */
const measureIntervalMs = 20;
/** Additive increase of the wait during an overload, multiplicative decrease afterwards. */
const waitIncreaseMs = 2;
const waitDecreaseFactor = 0.7;
/** Maximum wait of a publisher. */
const maxWaitMs = 100;
/** Maximum load of the dispatcher; above it the dispatcher falls behind. */
const maxLoad = 0.95;

/** A batch waits as long as this share of its events, published one after the other: enough to throttle, without long gaps. */
const shareOfBatch = 0.1;

/** Waits for as long as publishing is throttled at the moment, a request for this number of events. */
export type PublishingPace = (events?: number) => Promise<void>;

/**
 * Throttles publishers while the dispatcher thread is overloaded, so that flow events are not accepted faster than they can
 * be dispatched. Only processor time counts: deliveries that wait for slow hooks do not throttle publishers.
 *
 * `load` returns the share of time, from 0 to 1, in which the dispatcher was busy since the previous call. `now` is a monotonic
 * clock in milliseconds.
 */
export function publishingPace(
  load: () => number,
  { now = () => performance.now(), wait = pause }: { now?: () => number; wait?: (ms: number) => Promise<unknown> } = {},
): PublishingPace {
  let waitMs = 0;
  let measuredAt = now();

  function adjustWait(): void {
    const elapsedMs = now() - measuredAt;
    if (elapsedMs < measureIntervalMs) return;
    measuredAt += elapsedMs;
    waitMs = load() > maxLoad ? Math.min(maxWaitMs, waitMs + waitIncreaseMs) : waitMs * waitDecreaseFactor;
    if (waitMs < 1) waitMs = 0;
  }

  return async (events = 1) => {
    adjustWait();
    if (waitMs > 0) await wait(waitMs * Math.max(1, events * shareOfBatch));
  };
}
