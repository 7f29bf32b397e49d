import type { Logger } from 'pino';
import { watchFailures } from './failures.js';

/** Former names of `watchFailures`, until the last of src/deliveries use the present ones. */
export function watchTrouble(log: Logger, task: string) {
  const { record, recovered, current } = watchFailures(log, task);
  return { met: record, over: recovered, current };
}
