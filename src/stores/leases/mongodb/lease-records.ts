import type { Db } from 'mongodb';
import { insertNew } from '../../mongodb/bulk-writes.js';

/** `_id` is the name. Never deleted, so that terms only rise, except those of instances that share a task. */
export type LeaseRecord = {
  _id: string;
  /** Null: released. */
  holder: string | null;
  term: bigint;
  /** A sign of life, raised by the holder; not a clock time. */
  beat: bigint;
};

export type HeldRecord = { name: string; holder: string; term: bigint };

export type LeaseRecords = {
  /** All, by name. */
  read: () => Promise<ReadonlyMap<string, LeaseRecord>>;
  /** Compare and set; undefined where the record has changed since it was read. Returns the next term. */
  take: (name: string, holder: string, seen: LeaseRecord | undefined) => Promise<bigint | undefined>;
  /** Returns the names of those that their holders still hold under these terms. */
  renew: (held: readonly HeldRecord[]) => Promise<ReadonlySet<string>>;
  giveBack: (held: HeldRecord) => Promise<void>;
  /** Unless it has changed since it was read. */
  remove: (seen: LeaseRecord) => Promise<void>;
};

export function openLeaseRecords(db: Db): LeaseRecords {
  const leases = db.collection<LeaseRecord>('leases');
  const read: LeaseRecords['read'] = async () => {
    const all = await leases.find({}, { readPreference: 'primary' }).toArray();
    return new Map(all.map((record) => [record._id, record]));
  };
  return {
    read,
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
    async renew(held) {
      const names = held.map(({ name }) => name);
      const holders = [...new Set(held.map(({ holder }) => holder))];
      const ours = { _id: { $in: names }, holder: { $in: holders } };
      const { matchedCount } = await leases.updateMany(ours, { $inc: { beat: 1n } });
      if (matchedCount === held.length) return new Set(names);
      const found = await read();
      const isHeld = ({ name, holder, term }: HeldRecord) =>
        found.get(name)?.holder === holder && found.get(name)?.term === term;
      return new Set(held.filter(isHeld).map(({ name }) => name));
    },
    async giveBack({ name, holder, term }) {
      await leases.updateOne({ _id: name, holder, term }, { $set: { holder: null } });
    },
    async remove(seen) {
      await leases.deleteOne(seen);
    },
  };
}

type SeenBeat = { term: bigint; beat: bigint; since: number; at: number };

/** Since when a record shows this beat. After a whole lease time without a read it counts anew: see `expiry`. */
function seeBeat(last: SeenBeat | undefined, { term, beat }: LeaseRecord, now: number, leaseMs: number): SeenBeat {
  const goesOn = last?.term === term && last.beat === beat && now - last.at < leaseMs;
  return { term, beat, since: goesOn ? last.since : now, at: now };
}

/**
 * Returns the milliseconds until the next lease of the records just read expires unless it is renewed; infinite where none
 * will. What has expired already counts no more.
 */
export function untilExpiry(
  leaseMs: number,
  nowMs = () => performance.now(),
): (records: ReadonlyMap<string, LeaseRecord>) => number {
  let seen: ReadonlyMap<string, SeenBeat> = new Map();
  return (records) => {
    const now = nowMs();
    const held = [...records].filter(([, { holder }]) => holder !== null);
    seen = new Map(held.map(([name, record]) => [name, seeBeat(seen.get(name), record, now, leaseMs)]));
    const left = [...seen.values()].map(({ since }) => since + leaseMs - now);
    return Math.min(...left.filter((ms) => ms > 0));
  };
}

/**
 * Tells if a waiting instance may take a lease: released, or not renewed for a lease time by this process's monotonic
 * clock. The record must be freshly read. After a whole lease time without a read, it begins to observe anew: the
 * holder may have been away for the same reason, and is back.
 */
export function expiry(
  holder: string,
  leaseMs: number,
  nowMs = () => performance.now(),
): (seen: LeaseRecord | undefined) => boolean {
  let last: SeenBeat | undefined;
  return (seen) => {
    // Under our own name: an attempt whose answer was lost.
    if (!seen || seen.holder === null || seen.holder === holder) return true;
    last = seeBeat(last, seen, nowMs(), leaseMs);
    return last.at - last.since >= leaseMs;
  };
}
