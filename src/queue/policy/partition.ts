import { bucketCount, bucketOf } from '../../stores/event-store/bucket.js';
import type { LeadershipLease } from '../../stores/leases/leases.js';

/** The partition of an organisation, from 0 to `count` - 1, a divisor of 256. Permanent: each partition has a stored checkpoint. */
export const partitionOf = (orgId: string, count: number): number => bucketOf(orgId) % count;

/** Buckets of these partitions, each of which has the same number. */
export const bucketsOf = (partitions: ReadonlySet<number>, count: number): ReadonlySet<number> =>
  new Set(
    Array.from({ length: bucketCount }, (_, bucket) => bucket).filter((bucket) => partitions.has(bucket % count)),
  );

/** The partitions that this instance holds now, by number. */
export type OwnedPartitions = ReadonlyMap<number, Pick<LeadershipLease, 'isHeld'>>;
