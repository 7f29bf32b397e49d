import { setImmediate as nextTurn } from 'node:timers/promises';

const maxMs = 25;

/** `isOver`: the computation has kept the thread for `maxMs`; `next` lets other work run. */
export type ThreadTurn = { isOver: () => boolean; next: () => Promise<void> };

/** One computation continues in each turn of the event loop, however many there are. */
let latest: Promise<unknown> = Promise.resolve();

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
