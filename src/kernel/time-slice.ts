import { setImmediate as nextTurn } from 'node:timers/promises';

const maxMs = 25;

/** `hasEnded`: the computation has kept the thread for `maxMs`; `next` lets other work run. */
export type TimeSlice = { hasEnded: () => boolean; next: () => Promise<void> };

/** One computation continues in each turn of the event loop, however many there are. */
let latest: Promise<unknown> = Promise.resolve();

export function timeSlice(now: () => number = () => performance.now()): TimeSlice {
  let since = now();
  return {
    hasEnded: () => now() - since > maxMs,
    async next() {
      latest = latest.then(() => nextTurn());
      await latest;
      since = now();
    },
  };
}
