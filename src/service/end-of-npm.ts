import { everyInterval } from '../kernel/shared-interval.js';

/** Interval between checks of the parent process. */
const pollIntervalMs = 250;

/** Read when this module is loaded: npm may end during the start. */
const parent = process.ppid;

/**
 * Resolves once the `npm start` or `npx` that has started this process has ended; never if neither has started it. A signal
 * to npm alone, such as `kill $!` sends, ends the shell between npm and this process, which does not forward it.
 */
export async function endOfNpm(): Promise<void> {
  if (!['start', 'npx'].includes(process.env.npm_lifecycle_event ?? '')) return new Promise(() => undefined);
  return new Promise((resolve) => {
    const stop = everyInterval(pollIntervalMs, () => {
      if (process.ppid === parent) return;
      stop();
      resolve();
    });
  });
}
