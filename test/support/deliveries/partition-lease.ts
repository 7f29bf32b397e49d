import type { PartitionLease } from '../../../src/deliveries/fan-out/partitions.js';

/** A lease that is never lost. */
export const heldIn = (term: bigint): PartitionLease => ({
  term,
  isHeld: () => true,
  signal: new AbortController().signal,
});
