import type { Db } from 'mongodb';
import { insertNew } from '../../mongodb/insert-new.js';

/** `_id` is the name. Never deleted, so that terms only rise. */
export type LeaseRecord = {
  readonly _id: string;
  /** Null: released. */
  readonly holder: string | null;
  readonly term: bigint;
  /** A sign of life, raised by the holder; not a clock time. */
  readonly beat: bigint;
};

export type LeaseRecords = {
  readonly read: (name: string) => Promise<LeaseRecord | undefined>;
  /** Compare and set; undefined where the record has changed since it was read. Returns the next term. */
  readonly take: (name: string, holder: string, seen: LeaseRecord | undefined) => Promise<bigint | undefined>;
  /** False where the holder no longer holds it under this term. */
  readonly renew: (name: string, holder: string, term: bigint, beat: bigint) => Promise<boolean>;
  readonly giveBack: (name: string, holder: string, term: bigint) => Promise<void>;
};

export function openLeaseRecords(db: Db): LeaseRecords {
  const leases = db.collection<LeaseRecord>('leases');
  return {
    read: async (_id) => (await leases.findOne({ _id })) ?? undefined,
    async take(_id, holder, seen) {
      if (!seen) {
        // Greater than earlier terms even if the record was lost but not the data that it protects.
        const term = BigInt(Date.now());
        const taken = await insertNew(leases, [{ _id, holder, term, beat: 0n }]);
        return taken.length === 0 ? term : undefined;
      }
      const term = seen.term + 1n;
      const { matchedCount } = await leases.updateOne(seen, { $set: { holder, term, beat: 0n } });
      return matchedCount === 1 ? term : undefined;
    },
    async renew(_id, holder, term, beat) {
      const { matchedCount } = await leases.updateOne({ _id, holder, term }, { $set: { beat } });
      return matchedCount === 1;
    },
    async giveBack(_id, holder, term) {
      await leases.updateOne({ _id, holder, term }, { $set: { holder: null } });
    },
  };
}

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
