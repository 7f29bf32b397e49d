import type { DeliveryQueue } from '../deliveries/queue/delivery-queue.js';
import type { Enqueued, LeasedDelivery, Outcome } from '../deliveries/queue/leasing.js';

/** A number that several threads share: of the deliveries enqueued, less those attempted. */
export type DispatcherBacklog = Int32Array<SharedArrayBuffer>;

export const newBacklog = (): DispatcherBacklog => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

export type Backlog = {
  /** Counts the deliveries enqueued. */
  readonly queue: DeliveryQueue;
  /** Counts an attempt. */
  readonly onAttempted: (delivery: Pick<LeasedDelivery, 'attempt'>, outcome: Pick<Outcome, 'kind'>) => void;
};

/**
 * Counts the backlog of a dispatcher. Deliveries that end without an attempt (cancelled ones) and those enqueued by others make it
 * inexact over time: only its changes within a short time tell something.
 */
export function countBacklog(queue: DeliveryQueue, backlog: DispatcherBacklog): Backlog {
  async function counted(enqueue: Promise<Enqueued>): Promise<Enqueued> {
    const result = await enqueue;
    Atomics.add(backlog, 0, result.added);
    return result;
  }

  return {
    queue: {
      ...queue,
      enqueue: (...batch) => counted(queue.enqueue(...batch)),
    },
    onAttempted({ attempt }, { kind }) {
      if (attempt === 1 && kind !== 'released') Atomics.sub(backlog, 0, 1);
    },
  };
}
