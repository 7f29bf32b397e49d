import { setTimeout as pause } from 'node:timers/promises';
import type { StoreUnavailable } from '../../../kernel/store-errors.js';
import { asUnavailable } from './failures.js';
import type { StatusPart } from './status.js';

export type Timing = {
  /** Timeout of one call, and between its messages. */
  callMs: number;
  /** Timeout of an operation with all its retries. */
  totalMs: number;
  /** The same, from `electionMs` after an operation was given up until one succeeds. */
  failingMs: number;
  /** Time for which waiting for a cluster's election is worthwhile. */
  electionMs: number;
  /** Silence of a subscription before the store is asked for withheld events. */
  quietMs: number;
};

const firstPauseMs = 25;
const maxPauseMs = 1_000;
/** A shorter retry would fail for want of time and hide the cause of earlier failures. */
const minTryMs = 100;

export type RetryBudget = ReturnType<typeof retryBudget>;

/**
 * While `part` has been failing for longer than an election, callers wait only `failingMs`; at times one waits
 * `totalMs`, to detect a slow store that still answers.
 */
export function retryBudget(
  { totalMs, failingMs, electionMs }: Pick<Timing, 'totalMs' | 'failingMs' | 'electionMs'>,
  part: StatusPart,
) {
  const end = performance.now() + (part.mayTryFor(totalMs, electionMs) ? totalMs : Math.min(failingMs, totalMs));
  let failures = 0;
  let lastError: unknown;

  /** Returns the error for the caller. */
  function giveUp(error: unknown): StoreUnavailable {
    const unavailable = asUnavailable(error);
    part.failing(unavailable);
    return unavailable;
  }

  return {
    giveUp,
    /** Above 0; throws `StoreUnavailable` where no time is left. */
    leftMs(): number {
      const left = end - performance.now();
      if (left <= 0) throw giveUp(lastError);
      return left;
    },
    /** Waits, longer each time; throws `StoreUnavailable` where no time for a retry would be left. */
    async afterFailure(error: unknown): Promise<void> {
      lastError = error;
      const leftMs = end - performance.now();
      if (leftMs < 2 * minTryMs) throw giveUp(error);
      // Brings the last retries close to the end.
      await pause(Math.min(backoffMs(failures), leftMs / 2));
      failures += 1;
    },
  };
}

/** Exponential backoff with jitter. */
export const backoffMs = (failures: number, mostMs = maxPauseMs): number =>
  Math.min(mostMs, firstPauseMs * 2 ** failures) * (0.5 + Math.random() / 2);
