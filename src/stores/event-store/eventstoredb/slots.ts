import { asUnavailable } from './failures.js';

/** So many things may be under way at a time; the others wait, first come, first served. */
export type Slots = {
  /** Resolves to the way to give the slot back. Throws `StoreUnavailable` where none is free within the time. */
  readonly take: (waitMs: number) => Promise<() => void>;
};

export function slots(count: number): Slots {
  let free = count;
  const waiting = new Set<() => void>();

  /** Gives a slot back once, however often it is called. */
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
