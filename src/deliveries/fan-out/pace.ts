import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { timeSlice } from '../../kernel/time-slice.js';

/** Bounds the time that the filters of an organisation take of the thread. */
export type Pace = {
  /** Called before each filter, possibly after a pause; false: the rest of the event has to wait. */
  mayContinue: () => boolean | Promise<boolean>;
  /** Evaluates a filter, or looks up those to be evaluated, and counts the time that it takes. */
  evaluate: <Result>(filters: () => Result) => Result;
};

/** All of an event, with turns for other work. */
export function paceInTurns(monotonicNow = () => performance.now()): Pace {
  const slice = timeSlice(monotonicNow);
  return {
    async mayContinue() {
      if (slice.hasEnded()) await slice.next();
      return true;
    },
    evaluate: (filters) => filters(),
  };
}

/** Time that the filters of an organisation may take at once, and of each second, before its events wait. */
const share = { atOnceMs: 5, ofTime: 0.2 };
const maxRemembered = 10_000;

/** The organisations' shares of the time in which the fan-out reads on. */
export function fanOutShares(monotonicNow = () => performance.now()): (orgId: string) => Pace {
  const used = new LRUCache<string, { ms: number; at: number }>({ max: maxRemembered });

  function usedBy(orgId: string): number {
    const { ms, at } = used.get(orgId) ?? { ms: 0, at: 0 };
    return Math.max(0, ms - (monotonicNow() - at) * share.ofTime);
  }

  return (orgId) => ({
    mayContinue: () => usedBy(orgId) < share.atOnceMs,
    evaluate(filters) {
      const startedAt = monotonicNow();
      const result = filters();
      const at = monotonicNow();
      used.set(orgId, { ms: usedBy(orgId) + at - startedAt, at });
      return result;
    },
  });
}

/** Time slice of waiting events, since an event passes the thread several times on its way to a listener. */
const sliceMs = 1;
/** The filters take a quarter of the thread. */
const pauseFactor = 3;

/** Lets the filters of waiting events run in slices, those of one organisation after those of another. */
export function waitingPaces(signal: AbortSignal, monotonicNow = () => performance.now()): () => Pace {
  let latest: Promise<unknown> = Promise.resolve();
  return () => {
    let usedMs = 0;
    return {
      mayContinue() {
        if (usedMs < sliceMs) return true;
        const pauseMs = usedMs * pauseFactor;
        usedMs = 0;
        const turn = latest.then(() => !signal.aborted && pause(pauseMs, true));
        latest = turn;
        return turn.then(() => !signal.aborted);
      },
      evaluate(filters) {
        const startedAt = monotonicNow();
        const result = filters();
        usedMs += monotonicNow() - startedAt;
        return result;
      },
    };
  };
}
