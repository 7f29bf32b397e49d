import type { LeaseRecord } from './lease-records.js';

/**
 * Whether a lease is free for `holder`, who has none, judged by one who looks at its record again and again: nobody has it,
 * or nobody has renewed it for a whole lease, by this process's own monotonic clock. What is seen must be fresh.
 */
export function expiry(holder: string, leaseMs: number): (seen: LeaseRecord | undefined) => boolean {
  let last: { readonly term: bigint; readonly beat: bigint; readonly since: number } | undefined;
  return (seen) => {
    // Under our own name, it is from an attempt of which we never heard that it succeeded.
    if (!seen || seen.holder === null || seen.holder === holder) return true;
    const now = performance.now();
    if (last?.term !== seen.term || last.beat !== seen.beat) last = { term: seen.term, beat: seen.beat, since: now };
    return now - last.since >= leaseMs;
  };
}
