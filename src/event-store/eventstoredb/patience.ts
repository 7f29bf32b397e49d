import { setTimeout as pause } from 'node:timers/promises';
import type { StoreUnavailable } from '../errors.js';
import { asUnavailable } from './failures.js';
import type { Timing } from './read-chunks.js';
import type { StatusPart } from './status.js';

const firstPauseMs = 25;
const maxPauseMs = 1_000;
/** A try that is given less would fail for want of time, and hide why those before it did. */
const shortestTryMs = 100;

/** How long one operation may take with all its tries. */
export type Patience = {
  /** What is left, in milliseconds, more than 0. Throws `StoreUnavailable` where nothing is. */
  readonly leftMs: () => number;
  /** Waits before the next try, longer each time. Throws `StoreUnavailable` where no time for one would be left. */
  readonly afterFailure: (error: unknown) => Promise<void>;
  /** Notes that this has come to nothing, and gives what to tell the caller. */
  readonly giveUp: (error: unknown) => StoreUnavailable;
};

/**
 * `part` hears of it where the operation is given up. While it is in trouble for longer than an election takes, callers wait
 * for `troubledMs` only, but for one every now and then, which finds out whether a store that has become slow answers all the
 * same.
 */
export function patience(
  { totalMs, troubledMs, electionMs }: Pick<Timing, 'totalMs' | 'troubledMs' | 'electionMs'>,
  part: StatusPart,
): Patience {
  const end = performance.now() + (part.mayTryFor(totalMs, electionMs) ? totalMs : Math.min(troubledMs, totalMs));
  let failures = 0;
  let lastError: unknown;

  function giveUp(error: unknown): StoreUnavailable {
    const unavailable = asUnavailable(error);
    part.failing(unavailable);
    return unavailable;
  }

  return {
    giveUp,
    leftMs() {
      const left = end - performance.now();
      if (left <= 0) throw giveUp(lastError);
      return left;
    },
    async afterFailure(error) {
      lastError = error;
      const leftMs = end - performance.now();
      if (leftMs < 2 * shortestTryMs) throw giveUp(error);
      // The last tries come close to the end, not up to a second before it.
      await pause(Math.min(backoffMs(failures), leftMs / 2));
      failures += 1;
    },
  };
}

/** Twice as long after each failure, and somewhat at random, so that many callers do not come back together. */
export const backoffMs = (failures: number, mostMs = maxPauseMs): number =>
  Math.min(mostMs, firstPauseMs * 2 ** failures) * (0.5 + Math.random() / 2);
