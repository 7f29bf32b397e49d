import { cpus } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

const sampleMs = 1_000;

/** The share of the processors' time that was idle during the next second: 0 to 1. */
async function idleShare(): Promise<number> {
  const before = processorTimes();
  await pause(sampleMs);
  const after = processorTimes();
  return (after.idle - before.idle) / Math.max(1, after.all - before.all);
}

function processorTimes(): { idle: number; all: number } {
  const times = cpus().map((processor) => processor.times);
  return {
    idle: times.reduce((sum, { idle }) => sum + idle, 0),
    all: times.flatMap((each) => Object.values(each)).reduce((sum, ms) => sum + ms, 0),
  };
}

/** Resolves when at least this share of the processors' time was idle during a second, or `enough` says that it need not wait. */
export async function untilIdle(share: number, enough: () => boolean): Promise<void> {
  while (!enough() && (await idleShare()) < share);
}
