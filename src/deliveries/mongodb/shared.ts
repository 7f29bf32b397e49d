import type { Collections } from './collections.js';
import type { FreedDeliveries } from './lease/freed-deliveries.js';
import type { HeldDeliveries } from './lease/held-deliveries.js';
import type { Statistics } from './outcomes/statistics.js';
import type { ServerClock } from './server-clock.js';

/** The parts of the queue that the others share. */
export type Shared = {
  collections: Collections;
  statistics: Statistics;
  clock: ServerClock;
  freed: FreedDeliveries;
  held: HeldDeliveries;
  /** Number of partitions of the fan-out; undefined: not known here. */
  partitions: number | undefined;
};
