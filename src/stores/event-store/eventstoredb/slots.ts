import { asUnavailable } from './failures.js';

/** Bounds the number of concurrent operations; others wait in the order of their calls. */
export type Slots = {
  /** Resolves to the function that releases it. Throws `StoreUnavailable` where none becomes free within the time. */
  readonly take: (waitMs: number) => Promise<() => void>;
};

export function slots(count: number): Slots {
  let free = count;
  const waiting = new Set<() => void>();

  /** Releases once, however often it is called. */
  function slot(): () => void {
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
    async take(waitMs) {
      if (free > 0) {
        free -= 1;
        return slot();
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
      return slot();
    },
  };
}
