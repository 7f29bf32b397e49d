import { alignedDelay } from '../../kernel/aligned-delay.js';
import { type AttemptsInFlight, checkSlowMs, slowAfterMs } from '../../queue/policy/fair-sharing.js';

/** Wakes the loop for the slots that slow attempts release. */
export function slowAttemptCheck(inFlight: AttemptsInFlight, wake: () => void) {
  let timer: NodeJS.Timeout | undefined;
  const check = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      if (inFlight.size === 0) return;
      if (inFlight.releaseSlowSlots(performance.now() - slowAfterMs) > 0) wake();
      check();
    }, checkSlowMs).unref();
  };
  return { check, end: () => clearTimeout(timer) };
}

/**
 * Ended attempts free their slots together, after this time or this number: a lease costs about the same for one slot as for many.
 */
const gather = { ms: 2, attempts: 16 };

/** Times of the next looks for due deliveries. */
export function wakeTimers(wake: () => void, pollMs: number) {
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
    wakeSoon(): void {
      gathered += 1;
      if (gathered >= gather.attempts) wakeNow();
      else soon ??= setTimeout(wakeNow, gather.ms);
    },
    /** Replaces the time that was set before. */
    wakeIn(delayMs: number): void {
      clearTimeout(next);
      if (!ended) next = setTimeout(wake, delayMs);
    },
    looked(): void {
      lookedAt = performance.now();
    },
    /** Time until the next look. Enqueues do not delay it: only a look finds what other instances have left. */
    pollInMs: (): number => alignedDelay(pollMs, lookedAt),
    end(): void {
      ended = true;
      clearTimeout(next);
      clearTimeout(soon);
    },
  };
}
