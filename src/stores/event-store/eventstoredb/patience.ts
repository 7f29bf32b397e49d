import { setTimeout as pause } from 'node:timers/promises';
import type { StoreUnavailable } from '../../../kernel/store-errors.js';
import { asUnavailable } from './failures.js';
import type { StatusPart } from './status.js';

export type Timing = {
  /** For one call to be answered, and between two messages of one. */
  readonly callMs: number;
  /** For an operation with all its tries. */
  readonly totalMs: number;
  /** The same, from `electionMs` after one was given up until one succeeds. */
  readonly troubledMs: number;
  /** So long after one was given up a cluster may still be about to have another leader, which is worth waiting for. */
  readonly electionMs: number;
  /** So long a subscription may say nothing before the store is asked whether it withholds something. */
  readonly quietMs: number;
};

const firstPauseMs = 25;
const maxPauseMs = 1_000;

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
      if (leftMs < firstPauseMs) throw giveUp(error);
      // The last tries come close to the end, not up to a second before it.
      await pause(Math.min(backoffMs(failures), leftMs / 2));
      failures += 1;
    },
  };
}

/** Twice as long after each failure, and somewhat at random, so that many callers do not come back together. */
export const backoffMs = (failures: number, mostMs = maxPauseMs): number =>
  Math.min(mostMs, firstPauseMs * 2 ** failures) * (0.5 + Math.random() / 2);
