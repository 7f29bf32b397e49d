const grids = [1_000, 500, 250];
/** Timers end a little early or late. */
const toleranceMs = 50;

/**
 * The delay after which a timer ends together with the others of this thread: one wakeup for five commands to a server
 * costs half of five wakeups. A delay of whole quarters of a second is shortened so that it ends at a whole second, half
 * or quarter of the thread's monotonic clock, whichever it is a multiple of; others stay as they are.
 *
 * @param from Monotonic time from which the delay counts; milliseconds, as all times here.
 */
export function alignedDelay(delayMs: number, from?: number): number {
  const now = performance.now();
  const end = (from ?? now) + delayMs;
  const grid = grids.find((each) => delayMs > 0 && delayMs % each === 0);
  const aligned = grid === undefined ? end : Math.floor((end + toleranceMs) / grid) * grid;
  return Math.max(0, Math.ceil(aligned - now));
}
