import { asUnavailable } from './failures.js';

/** First come, first served. */
export type Semaphore = {
  /** Resolves to its release. Throws `StoreUnavailable` after `waitMs`. */
  readonly acquire: (waitMs: number) => Promise<() => void>;
};

export function semaphore(count: number): Semaphore {
  let free = count;
  const waiting = new Set<() => void>();

  /** Releases once, however often it is called. */
  function permit(): () => void {
    let taken = true;
    return () => {
      if (!taken) return;
      taken = false;
      const [next] = waiting;
      if (!next) {
        free += 1;
        return;
      }
      waiting.delete(next);
      next();
    };
  }

  return {
    async acquire(waitMs) {
      if (free > 0) {
        free -= 1;
        return permit();
      }
      await new Promise<void>((resolve, reject) => {
        const proceed = () => {
          clearTimeout(timer);
          resolve();
        };
        const timer = setTimeout(() => {
          waiting.delete(proceed);
          reject(asUnavailable(undefined));
        }, waitMs);
        waiting.add(proceed);
      });
      return permit();
    },
  };
}
