import type { Db } from 'mongodb';
import { insertNew } from '../../mongodb/bulk-writes.js';
import { type Seen, untilUnchanged } from '../../mongodb/watch-heartbeats.js';

/** `_id` is the name. Never deleted, so that terms only rise, except those of instances that share a task. */
export type LeaseRecord = {
  _id: string;
  /** Null: released. */
  holder: string | null;
  term: bigint;
  /** Heartbeat: a counter that the holder raises; not a clock time. */
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
  release: (held: HeldRecord) => Promise<void>;
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
    async release({ name, holder, term }) {
      await leases.updateOne({ _id: name, holder, term }, { $set: { holder: null } });
    },
    async remove(seen) {
      await leases.deleteOne(seen);
    },
  };
}

export type SeenLease = Seen<LeaseRecord>;
export type SeenLeases = ReadonlyMap<string, SeenLease>;

/** Returns the milliseconds until the next lease expires unless it is renewed; infinite where none will. */
export const untilExpiry = (seen: SeenLeases, leaseMs: number): number =>
  untilUnchanged(
    [...seen.values()].filter(({ record }) => record.holder !== null),
    leaseMs,
  );

/** A waiting instance may take a lease that was released, or not renewed for a lease time. */
export const isFree = (seen: SeenLease | undefined, holder: string, leaseMs: number): boolean =>
  !seen ||
  seen.record.holder === null ||
  seen.record.holder === holder || // under our own name: an attempt whose answer was lost
  seen.unchangedMs >= leaseMs;
