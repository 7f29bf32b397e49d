import type { TaskLog } from './log.js';

const firstPauseMs = 100;
const maxPauseMs = 5_000;

/** Outcomes of a task that is retried. The start and the end of a failure are logged once; pauses between retries grow. */
export type OutcomeRecorder = {
  /** Returns the pause before the next retry, in milliseconds. */
  record: (error: unknown) => number;
  /** Ends the failure, if there is one. */
  recovered: () => void;
};

/** The present failure of a task that is retried. */
export type Failures = OutcomeRecorder & {
  /** Undefined while the task succeeds. */
  current: () => unknown;
};

/** `task`: its name in the log, such as `leasing deliveries`. */
export function watchFailures(log: TaskLog, task: string): Failures {
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
