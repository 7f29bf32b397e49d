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

/** A clock on which a time slice ends between one look and the next, however quick the machine is. */
export function tickingClock(): () => number {
  let nowMs = 0;
  return () => (nowMs += 30);
}

/** Milliseconds of processor that this process uses during the work. Unlike the time on a clock, other processes do not lengthen them. */
export function processorMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before); // microseconds
  return (user + system) / 1_000;
}
