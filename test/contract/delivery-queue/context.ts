import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import type { LeasedDelivery } from '../../../src/queue/leasing.js';

/** A queue that is empty at the beginning of each test. */
export type QueueContext = {
  queue: () => DeliveryQueue;
  /** The longest due delivery, under a lease; throws where none is due. */
  leaseOne: (now?: number) => Promise<LeasedDelivery>;
  /** Closes the queue and opens it again. */
  reopen: () => Promise<void>;
};

export const countOf = (deliveries: readonly LeasedDelivery[], listenerId: string): number =>
  deliveries.filter((delivery) => delivery.listenerId === listenerId).length;

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
