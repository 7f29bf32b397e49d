import type { Logger } from 'pino';
import type { EventStore } from '../../stores/event-store/event-store.js';
import type { DeliveryQueue } from '../queue/delivery-queue.js';
import type { ListenersView } from './listeners.js';

export type FanOutSettings = {
  readonly store: EventStore;
  readonly queue: DeliveryQueue;
  readonly view: ListenersView;
  /** Position to begin after if the queue has no checkpoint; undefined: a queue without one is refused as lost. */
  readonly startFrom?: bigint | undefined;
  /** Number of partitions, the same on all instances. */
  readonly count: number;
  readonly log: Logger;
  readonly clock: () => number;
};
