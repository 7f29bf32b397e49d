import type { LeaseRecord } from './lease-records.js';

/**
 * Tells if a waiting instance may take a lease: released, or not renewed for a lease time by this process's monotonic
 * clock. The record must be freshly read.
 */
export function expiry(holder: string, leaseMs: number): (seen: LeaseRecord | undefined) => boolean {
  let last: { readonly term: bigint; readonly beat: bigint; readonly since: number } | undefined;
  return (seen) => {
    // Under our own name: an attempt whose answer was lost.
    if (!seen || seen.holder === null || seen.holder === holder) return true;
    const now = performance.now();
    if (last?.term !== seen.term || last.beat !== seen.beat) last = { term: seen.term, beat: seen.beat, since: now };
    return now - last.since >= leaseMs;
  };
}
