import { setTimeout as pause } from 'node:timers/promises';
import type { DeliveryQueue } from '../queue/delivery-queue.js';
import { partitionOf } from '../queue/policy/partition.js';
import { partitionCount, readerOf } from './partitions.js';

const pollMs = 50;

type Queue = Pick<DeliveryQueue, 'checkpoint' | 'firstWaiting'>;

/** The position up to which all events of an organisation have been handed over; undefined: the fan-out has not begun. */
export async function handedOverUpTo(queue: Queue, orgId: string): Promise<bigint | undefined> {
  const count = await partitionCount(queue);
  const reader = readerOf(partitionOf(orgId, count), count);
  const checkpoint = await queue.checkpoint(reader); // first: events wait before it moves past them
  if (checkpoint === undefined) return undefined;
  const waiting = await queue.firstWaiting(reader, orgId);
  return waiting && waiting.position <= checkpoint ? waiting.position - 1n : checkpoint;
}

/** Waits for the fan-out to pass a position. Only an event that hands something over moves the checkpoint. */
export async function fanOutPassed(
  queue: Queue,
  { orgId, position }: { orgId: string; position: bigint },
  timeoutMs: number,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (((await handedOverUpTo(queue, orgId)) ?? -1n) < position) {
    if (performance.now() > deadline) return false;
    await pause(pollMs);
  }
  return true;
}
