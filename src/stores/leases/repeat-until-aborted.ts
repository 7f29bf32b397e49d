import { sleepUnlessAborted } from '../../kernel/unless-aborted.js';

type Repeated = {
  /** Pause after a failure. */
  pauseMs: number;
  onFailure: (error: unknown) => void;
};

/** Repeats a step until the signal aborts, after a failure with a pause. */
export async function repeatUntilAborted(
  signal: AbortSignal,
  step: () => Promise<void>,
  { pauseMs, onFailure }: Repeated,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await step();
    } catch (error) {
      onFailure(error);
      await sleepUnlessAborted(pauseMs, signal);
    }
  }
}
