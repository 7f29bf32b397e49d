import { once } from 'node:events';
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

export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

/**
 * Repeats a step until the signal aborts. A number to which it resolves is the pause after it, in milliseconds; `failed` returns
 * that after a failure, and gets none that comes with the abort.
 */
export async function repeatUntilAborted(
  signal: AbortSignal,
  step: () => Promise<unknown>,
  failed: (error: unknown) => number,
): Promise<void> {
  while (!signal.aborted) {
    let pauseMs: unknown;
    try {
      pauseMs = await step();
    } catch (error) {
      if (!signal.aborted) pauseMs = failed(error);
    }
    if (typeof pauseMs === 'number') await sleepUnlessAborted(pauseMs, signal);
  }
}

const noop = (): void => undefined;

/**
 * Works as `AbortSignal.any`, for a signal that is not listened to at once: Node 24 loses the abort of one that has no listener when the
 * whole heap is collected. Abort one of the signals in the end, or the listener keeps the result in memory.
 */
export function abortedByAny(...signals: readonly AbortSignal[]): AbortSignal {
  const any = AbortSignal.any([...signals]);
  any.addEventListener('abort', noop);
  return any;
}
