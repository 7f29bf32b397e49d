import type { OwnedPartitions } from '../policy/partition.js';
import type { Collections } from './collections.js';
import type { AnnouncedDeliveries } from './lease/announced-deliveries.js';
import type { CalmListeners } from './lease/calm-listeners.js';
import type { RowsAhead } from './lease/rows-ahead.js';
import type { RowsUnderWay } from './lease/under-way.js';
import type { Statistics } from './outcomes/statistics.js';

/** The parts of the queue that the others share. */
export type Shared = {
  collections: Collections;
  statistics: Statistics;
  announced: AnnouncedDeliveries;
  underWay: RowsUnderWay;
  rowsAhead: RowsAhead;
  calm: CalmListeners;
  /** Invalidates listeners that this process has changed, other than those of partitions that it holds. */
  invalidateOthers: (listeners: Iterable<{ listenerId: string; orgId: string }>) => Promise<void>;
  /** The partitions of the latest lease request. */
  owned: { partitions: OwnedPartitions | undefined };
  /** Due time of the first row that is not under way, as the latest lease found it, in queue time. */
  nextRowDue: { at: number | undefined };
  /** Number of partitions of the fan-out; undefined: not known here. */
  partitions: number | undefined;
};
