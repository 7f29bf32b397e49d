import { setTimeout as pause } from 'node:timers/promises';

/** False if the signal ended the sleep: nothing else makes the timer reject. */
export const sleepUnlessAborted = (ms: number, signal: AbortSignal): Promise<boolean> =>
  pause(ms, true, { signal }).catch(() => false);
