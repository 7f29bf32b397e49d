const grids = [1_000, 500, 250];
/** Timers end a little early or late. */
const toleranceMs = 50;

/**
 * The delay after which a timer ends together with the others of this thread: one wakeup for five commands to a server
 * costs half of five wakeups. A delay of whole quarters of a second is shortened so that it ends at a whole second, half
 * or quarter of the wall clock, whichever it is a multiple of; others stay as they are. So instances also know about when
 * others renew their leases; nothing relies on it, as clocks may differ or be set.
 *
 * @param from Monotonic time from which the delay counts; milliseconds, as all times here.
 */
export function alignedDelay(delayMs: number, from = performance.now()): number {
  const leftMs = from + delayMs - performance.now();
  const grid = grids.find((each) => delayMs > 0 && delayMs % each === 0);
  if (grid === undefined) return Math.max(0, Math.ceil(leftMs));
  const now = Date.now();
  return Math.max(0, Math.floor((now + leftMs + toleranceMs) / grid) * grid - now);
}
