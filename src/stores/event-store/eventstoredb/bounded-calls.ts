import { asUnavailable, NoAnswer } from './failures.js';

export type Semaphore = ReturnType<typeof semaphore>;

/** First come, first served. */
export function semaphore(count: number) {
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
    /** Resolves to its release. Throws `StoreUnavailable` after `waitMs`. */
    async acquire(waitMs: number): Promise<() => void> {
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

/** Rejects with `NoAnswer` after the timeout. */
export async function withTimeout<Result>(ms: number, promise: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswer('a call was not answered in time')), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
