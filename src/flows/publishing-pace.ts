import { setTimeout as pause } from 'node:timers/promises';

/** How often it is judged, how each judgement changes the wait, and how long that may become; milliseconds. */
const judgeEveryMs = 20;
const longerByMs = 2;
const shorterTo = 0.7;
const longestMs = 100;
/** A dispatcher that is busy for more of its time than this falls behind. */
const tooBusy = 0.95;

/** Waits as long as publishing has to be held back at the moment. */
export type PublishingPace = () => Promise<void>;

/**
 * Holds publishers back a little while the dispatcher beside them has no time left, so that flow events are not accepted
 * faster than they can be handed on, and each is soon delivered. It is the processor that counts: however many deliveries
 * wait for slow hooks, nobody is held back for them.
 *
 * `load` gives the share of its time in which the dispatcher was busy since it was last asked, from 0 to 1. `now` is a
 * monotonic clock in milliseconds.
 */
export function publishingPace(
  load: () => number,
  { now = () => performance.now(), wait = pause }: { now?: () => number; wait?: (ms: number) => Promise<unknown> } = {},
): PublishingPace {
  let waitMs = 0;
  let judgedAt = now();

  function judge(): void {
    const elapsed = now() - judgedAt;
    if (elapsed < judgeEveryMs) return;
    judgedAt += elapsed;
    waitMs = load() > tooBusy ? Math.min(longestMs, waitMs + longerByMs) : waitMs * shorterTo;
    if (waitMs < 1) waitMs = 0;
  }

  return async () => {
    judge();
    if (waitMs > 0) await wait(waitMs);
  };
}
