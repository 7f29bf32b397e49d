import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Collection } from 'mongodb';
import { insertNew } from '../../stores/mongodb/bulk-writes.js';
import { withMongoErrors } from '../../stores/mongodb/mongodb-errors.js';
import { RebuildCancelled, RebuildTakenOver, RebuildUnderWay } from '../errors.js';
import { type Projection, viewOf } from '../projection.js';
import type { RebuildClaim, RebuildRecord, Rebuilds } from '../rebuilds.js';
import type { Collections, RebuildRow } from './collections.js';

const times = {
  heartbeatMs: 500,
  lookMs: 50,
  /** A holder without a heartbeat for this time counts as dead. */
  deadMs: 5_000,
};

/** Compares no clocks: a holder is dead once it raises no heartbeat for `deadMs`. */
export function openRebuilds({ rebuilds }: Pick<Collections, 'rebuilds'>): Rebuilds {
  const read = async (view: string) => (await rebuilds.findOne({ _id: view })) ?? undefined;

  /** The record, once it is free or its holder has raised its heartbeat. */
  async function judge(view: string): Promise<{ row: RebuildRow | undefined; free: boolean }> {
    const first = await read(view);
    let last = { beat: first?.beat, since: performance.now() };
    for (let row = first; ; row = await read(view)) {
      if (!row || row.claim === null) return { row, free: true };
      // Twice: one heartbeat may have been on its way when its sender died.
      if (row.claim !== first?.claim || row.beat >= first.beat + 2n) return { row, free: false };
      if (row.beat !== last.beat) last = { beat: row.beat, since: performance.now() };
      if (performance.now() - last.since >= times.deadMs) return { row, free: true };
      await pause(times.lookMs);
    }
  }

  return {
    claim: (projection) =>
      withMongoErrors(async () => {
        const { row, free } = await judge(viewOf(projection));
        if (!free) throw new RebuildUnderWay(projection.name, row?.holder);
        const claim = await take(rebuilds, viewOf(projection), row);
        if (claim === undefined) throw new RebuildUnderWay(projection.name, (await read(viewOf(projection)))?.holder);
        return claimOf(rebuilds, projection, claim, row);
      }),
    find: (projection) =>
      withMongoErrors(async () => {
        const { row, free } = await judge(viewOf(projection));
        return row && recordOf(row, free);
      }),
    cancel: (projection) =>
      withMongoErrors(async () => {
        await rebuilds.updateOne({ _id: viewOf(projection) }, { $set: { cancelled: true } });
      }),
  };
}

/** Compare and set; returns the claim's name. */
async function take(
  rebuilds: Collection<RebuildRow>,
  _id: string,
  seen: RebuildRow | undefined,
): Promise<string | undefined> {
  const claim = randomUUID();
  const holder = { host: hostname(), pid: process.pid, since: new Date().toISOString() };
  if (!seen) {
    const row: RebuildRow = { _id, claim, beat: 0n, holder, build: null, cancelled: false, progress: null };
    return (await insertNew(rebuilds, [row])).length === 0 ? claim : undefined;
  }
  const { matchedCount } = await rebuilds.updateOne(
    { _id, claim: seen.claim, beat: seen.beat },
    { $set: { claim, beat: 0n, holder, cancelled: false } },
  );
  return matchedCount === 1 ? claim : undefined;
}

function claimOf(
  rebuilds: Collection<RebuildRow>,
  projection: Projection,
  claim: string,
  left: RebuildRow | undefined,
): RebuildClaim {
  const ours = { _id: viewOf(projection), claim };
  let beat = 0n;
  /** Continues while an index is built, when no progress is recorded. */
  const heartbeat = setInterval(() => {
    beat += 1n;
    rebuilds.updateOne(ours, { $set: { beat } }).catch(() => undefined);
  }, times.heartbeatMs);

  async function change(fields: Partial<RebuildRow>): Promise<void> {
    const { matchedCount } = await rebuilds.updateOne(ours, { $set: fields });
    if (matchedCount === 0) throw new RebuildTakenOver(projection.name);
  }

  return {
    left: left && { build: left.build ?? undefined, cancelled: left.cancelled },
    begin: (build) => withMongoErrors(() => change({ build })),
    recordProgress: (progress) =>
      withMongoErrors(async () => {
        await change({ progress });
        if ((await rebuilds.findOne(ours))?.cancelled) throw new RebuildCancelled(projection.name);
      }),
    async release() {
      clearInterval(heartbeat);
      await withMongoErrors(() => rebuilds.updateOne(ours, { $set: { claim: null } }));
    },
    async end() {
      clearInterval(heartbeat);
      const { deletedCount } = await withMongoErrors(() => rebuilds.deleteOne(ours));
      return deletedCount === 1;
    },
  };
}

const recordOf = ({ build, holder, cancelled, progress }: RebuildRow, free: boolean): RebuildRecord => ({
  build: build ?? undefined,
  cancelled,
  progress: progress ?? undefined,
  holder: free ? undefined : holder,
});
