import { setTimeout as pause } from 'node:timers/promises';
import type { StoreUnavailable } from '../../../kernel/store-errors.js';
import { asUnavailable } from './failures.js';
import type { StatusPart } from './status.js';

export type Timing = {
  /** Timeout of one call, and between two messages of one. */
  readonly callMs: number;
  /** Timeout of an operation with all its retries. */
  readonly totalMs: number;
  /** The same, from `electionMs` after an operation was given up until one succeeds. */
  readonly troubledMs: number;
  /** After an operation was given up, how long a cluster may still be electing a leader, which is worth waiting for. */
  readonly electionMs: number;
  /** How long a subscription may be silent before the store is asked whether it withholds events. */
  readonly quietMs: number;
};

const firstPauseMs = 25;
const maxPauseMs = 1_000;
/** Minimum time for a retry. A shorter one would fail for want of time and hide the cause of the failures before it. */
const minTryMs = 100;

/** The time for one operation with all its retries. */
export type RetryBudget = {
  /** Remaining time in milliseconds, above 0. Throws `StoreUnavailable` where none is left. */
  readonly leftMs: () => number;
  /** Waits before the next retry, longer each time. Throws `StoreUnavailable` where no time for one would be left. */
  readonly afterFailure: (error: unknown) => Promise<void>;
  /** Records that the operation has failed, and returns the error for the caller. */
  readonly giveUp: (error: unknown) => StoreUnavailable;
};

/**
 * Reports to `part` where the operation is given up. While `part` has been failing for longer than an election takes,
 * callers wait for `troubledMs` only; one of them now and then waits `totalMs`, to detect a slow store that still
 * answers.
 */
export function retryBudget(
  { totalMs, troubledMs, electionMs }: Pick<Timing, 'totalMs' | 'troubledMs' | 'electionMs'>,
  part: StatusPart,
): RetryBudget {
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
      if (leftMs < 2 * minTryMs) throw giveUp(error);
      // The last retries come close to the end, not up to a second before it.
      await pause(Math.min(backoffMs(failures), leftMs / 2));
      failures += 1;
    },
  };
}

/** Exponential backoff with jitter, so that callers do not retry at the same moment. In milliseconds. */
export const backoffMs = (failures: number, mostMs = maxPauseMs): number =>
  Math.min(mostMs, firstPauseMs * 2 ** failures) * (0.5 + Math.random() / 2);
