import type { Logger } from 'pino';

const firstPauseMs = 100;
const maxPauseMs = 5_000;

/** Logs the start and the end of a store's failures once; pauses grow between retries. */
export type Trouble = {
  /** Returns the pause before the next retry, in milliseconds. */
  met: (error: unknown) => number;
  over: () => void;
  current: () => unknown;
};

/** `what` names the failing work in the log. */
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
