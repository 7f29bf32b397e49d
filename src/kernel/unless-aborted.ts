import { setTimeout as pause } from 'node:timers/promises';

/** Undefined if the signal aborts first; a later rejection is ignored. */
export function unlessAborted<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result | undefined> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve(undefined);
    const done = () => signal.removeEventListener('abort', stop);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop);
    promise.then(resolve, reject).finally(done);
  });
}

/** False if the signal ended the sleep: nothing else makes the timer reject. */
export const sleepUnlessAborted = (ms: number, signal: AbortSignal): Promise<boolean> =>
  pause(ms, true, { signal }).catch(() => false);
