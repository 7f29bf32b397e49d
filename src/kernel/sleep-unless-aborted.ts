import { setTimeout as pause } from 'node:timers/promises';

/** Pauses for so many milliseconds. False where the signal ended the pause: nothing else makes the timer reject. */
export const sleepUnlessAborted = (ms: number, signal: AbortSignal): Promise<boolean> =>
  pause(ms, true, { signal }).catch(() => false);
