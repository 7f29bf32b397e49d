import { alignedDelay } from '../../kernel/aligned-delay.js';

/**
 * Ended attempts free their slots together, after this time or this number: a lease costs about the same for one slot as for many.
 */
const gather = { ms: 2, attempts: 16 };

export type WakeTimers = {
  wakeSoon: () => void;
  /** Replaces the time that was set before. */
  wakeIn: (delayMs: number) => void;
  /** A look has begun. */
  looked: () => void;
  /** Time until the next look. Enqueues do not delay it: only a look finds what other instances have left. */
  pollInMs: () => number;
  end: () => void;
};

export function wakeTimers(wake: () => void, pollMs: number): WakeTimers {
  let next: NodeJS.Timeout | undefined;
  let soon: NodeJS.Timeout | undefined;
  let gathered = 0;
  let ended = false;
  let lookedAt = performance.now();

  function wakeNow(): void {
    clearTimeout(soon);
    soon = undefined;
    gathered = 0;
    wake();
  }

  return {
    wakeSoon() {
      gathered += 1;
      if (gathered >= gather.attempts) wakeNow();
      else soon ??= setTimeout(wakeNow, gather.ms);
    },
    wakeIn(delayMs) {
      clearTimeout(next);
      if (!ended) next = setTimeout(wake, delayMs);
    },
    looked() {
      lookedAt = performance.now();
    },
    pollInMs: () => alignedDelay(pollMs, lookedAt),
    end() {
      ended = true;
      clearTimeout(next);
      clearTimeout(soon);
    },
  };
}
