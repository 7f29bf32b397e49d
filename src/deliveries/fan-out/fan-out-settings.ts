import type { Logger } from 'pino';
import type { DeliveryQueue } from '../../queue/delivery-queue.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import type { ListenersView } from './listeners.js';

export type FanOutSettings = {
  store: EventStore;
  queue: DeliveryQueue;
  view: ListenersView;
  /** Position to begin after if the queue has no checkpoint; undefined: a queue without one is refused as lost. */
  startFrom?: bigint;
  /** Number of partitions, the same on all instances. */
  count: number;
  /** Called when an event of a replay is read, also of another instance's partition. */
  onReplayEvent?: () => void;
  log: Logger;
  clock: () => number;
  /** Interval of checkpoints that move past events of other partitions only. */
  keepMs?: number;
  /** Milliseconds, of the time that filters take. */
  monotonicNow?: () => number;
};
