/** How long work took, and the longest time for which it kept other work of the thread waiting, in milliseconds. */
export async function longestBlock(work: () => Promise<unknown>): Promise<{ tookMs: number; longestMs: number }> {
  const startedAt = performance.now();
  let longestMs = 0;
  let lastTurn = startedAt;
  let isOver = false;
  const turn = () => {
    const now = performance.now();
    longestMs = Math.max(longestMs, now - lastTurn);
    lastTurn = now;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isOver = true;
  const now = performance.now();
  return { tookMs: now - startedAt, longestMs: Math.max(longestMs, now - lastTurn) };
}

/** Number of turns of the event loop during the work: other work of the thread waits until the next one. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const turn = () => {
    if (isOver) return;
    turns += 1;
    setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isOver = true;
  return turns;
}

/** Milliseconds of processor that this process uses during the work. Unlike the time on a clock, other processes do not lengthen them. */
export function processorMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before); // microseconds
  return (user + system) / 1_000;
}
