import type { Logger } from 'pino';

const firstPauseMs = 100;
const maxPauseMs = 5_000;

/** The present failure of a task that is retried. Its start and its end are logged once; pauses between retries grow. */
export type Failures = {
  /** Returns the pause before the next retry, in milliseconds. */
  record: (error: unknown) => number;
  /** Ends the failure, if there is one. */
  recovered: () => void;
  /** Undefined while the task succeeds. */
  current: () => unknown;
};

/** `task`: its name in the log, such as `leasing deliveries`. */
export function watchFailures(log: Pick<Logger, 'info' | 'error'>, task: string): Failures {
  let current: unknown;
  let pauseMs = firstPauseMs;
  return {
    record(error) {
      if (String(error) !== String(current)) log.error({ err: error }, `${task} is failing`);
      current = error;
      const pause = pauseMs;
      pauseMs = Math.min(pauseMs * 2, maxPauseMs);
      return pause;
    },
    recovered() {
      if (current !== undefined) log.info(`${task} has recovered`);
      current = undefined;
      pauseMs = firstPauseMs;
    },
    current: () => current,
  };
}
