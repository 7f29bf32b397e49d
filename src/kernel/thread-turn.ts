import { setImmediate as nextTurn } from 'node:timers/promises';

/** Maximum time for which a computation keeps other work of its thread waiting. */
const maxMs = 25;

/** Whether a computation of several steps has kept the thread for `maxMs`, and a turn for other work then. */
export type ThreadTurn = { readonly isOver: () => boolean; readonly next: () => Promise<void> };

/** The last turn asked for: one computation continues in each turn of the event loop, however many there are. */
let latest: Promise<unknown> = Promise.resolve();

/** `now`: milliseconds of a monotonic clock. */
export function threadTurn(now: () => number = () => performance.now()): ThreadTurn {
  let since = now();
  return {
    isOver: () => now() - since > maxMs,
    async next() {
      latest = latest.then(() => nextTurn());
      await latest;
      since = now();
    },
  };
}
