import type { Logger } from 'pino';

const firstPauseMs = 100;
const maxPauseMs = 5_000;

/** Trouble with a store: told once when it begins and once when it is over, and met with growing pauses. */
export type Trouble = {
  /** Returns how long to wait before the next try, in milliseconds. */
  readonly met: (error: unknown) => number;
  readonly over: () => void;
  /** What the trouble is now, if there is any. */
  readonly current: () => unknown;
};

/** `what` names the work that is troubled, in the log. */
export function watchTrouble(log: Logger, what: string): Trouble {
  let current: unknown;
  let pauseMs = firstPauseMs;
  return {
    met(error) {
      if (String(error) !== String(current)) log.error({ err: error }, `${what} cannot go on for now`);
      current = error;
      const pause = pauseMs;
      pauseMs = Math.min(pauseMs * 2, maxPauseMs);
      return pause;
    },
    over() {
      if (current !== undefined) log.info(`${what} goes on`);
      current = undefined;
      pauseMs = firstPauseMs;
    },
    current: () => current,
  };
}
