import { setTimeout as pause } from 'node:timers/promises';
import type { DeliveryQueue } from '../queue/delivery-queue.js';
import { fanOutReader } from './fan-out-beginning.js';

const pollMs = 50;

/**
 * Whether the fan-out has come up to a position within the time: then everything up to there has been handed over. It has to
 * be that of an event which hands something over, or one before it: other events do not move the checkpoint.
 */
export async function fanOutPassed(
  queue: Pick<DeliveryQueue, 'checkpoint'>,
  position: bigint,
  timeoutMs: number,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (((await queue.checkpoint(fanOutReader)) ?? -1n) < position) {
    if (performance.now() > deadline) return false;
    await pause(pollMs);
  }
  return true;
}
