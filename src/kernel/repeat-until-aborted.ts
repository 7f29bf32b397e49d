import { sleepUnlessAborted } from './unless-aborted.js';

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
