import type { Collections } from './collections.js';
import type { FreedDeliveries } from './lease/freed-deliveries.js';
import type { Tally } from './outcomes/statistics.js';
import type { ServerClock } from './server-clock.js';

/** The parts of the queue that the others share. */
export type Shared = {
  readonly collections: Collections;
  readonly tally: Tally;
  readonly clock: ServerClock;
  readonly freed: FreedDeliveries;
};
