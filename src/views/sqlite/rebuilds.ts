import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type FileLock, takeFileLock } from '../../stores/sqlite/file-lock.js';
import { withStoreErrors } from '../../stores/sqlite/sqlite-errors.js';
import { RebuildCancelled, RebuildUnderWay } from '../errors.js';
import { type BuildName, type Projection, viewOf } from '../projection.js';
import type { HoldingProcess, RebuildClaim, RebuildProgress, RebuildRecord, Rebuilds } from '../rebuilds.js';
import type { ViewRecords } from './view-records.js';

type Row = HoldingProcess & { build?: BuildName; progress?: ReturnType<typeof textOf> };

/** A check for a running rebuild holds the lock for a moment. */
const lockAttempts = { times: 10, everyMs: 20 };

/**
 * Records, each with a lock that the operating system releases when its holder dies: a living holder never counts as
 * dead, and a dead one delays no other process. Only the holder writes the record; a cancellation is a record beside it.
 */
export function openRebuilds(folder: string, { read, write, remove }: ViewRecords): Rebuilds {
  const find = (view: string) => read<Row>(view, 'rebuild');
  const isCancelled = (view: string) => read(view, 'cancelled') !== undefined;

  const lockOf = (view: string): string => join(folder, `${view}.rebuild.lock`);
  const lock = (view: string): FileLock | undefined => withStoreErrors(lockOf(view), () => takeFileLock(lockOf(view)));

  async function lockPatiently(view: string): Promise<FileLock | undefined> {
    for (let attempt = 1; attempt < lockAttempts.times; attempt += 1) {
      const taken = lock(view);
      if (taken) return taken;
      await pause(lockAttempts.everyMs);
    }
    return lock(view);
  }

  function recordOf(view: string): RebuildRecord | undefined {
    const row = find(view);
    if (!row) return undefined;
    const { build, progress, ...holder } = row;
    return {
      build,
      holder,
      cancelled: isCancelled(view),
      progress: progress && { ...progress, position: BigInt(progress.position), head: BigInt(progress.head) },
    };
  }

  function isHeld(view: string): boolean {
    const taken = lock(view);
    taken?.release();
    return taken === undefined;
  }

  function claimOf({ name }: Projection, view: string, { release }: FileLock): RebuildClaim {
    const row = find(view);
    const left = row && { build: row.build, cancelled: isCancelled(view) };
    const holder = { host: hostname(), pid: process.pid, since: new Date().toISOString() };
    const change = (changed: Partial<Row>) => write(view, 'rebuild', { ...find(view), ...changed });
    change(holder);
    remove(view, 'cancelled');
    return {
      left,
      begin: async (build) => change({ build }),
      async recordProgress(progress) {
        change({ progress: textOf(progress) });
        if (isCancelled(view)) throw new RebuildCancelled(name);
      },
      release: async () => release(),
      async end() {
        remove(view, 'rebuild');
        remove(view, 'cancelled');
        release();
        return true;
      },
    };
  }

  return {
    async claim(projection) {
      const view = viewOf(projection);
      const taken = await lockPatiently(view);
      if (!taken) throw new RebuildUnderWay(projection.name, recordOf(view)?.holder);
      try {
        return claimOf(projection, view, taken);
      } catch (error) {
        taken.release();
        throw error;
      }
    },
    async find(projection) {
      const view = viewOf(projection);
      const record = recordOf(view);
      return record && (isHeld(view) ? record : { ...record, holder: undefined });
    },
    async cancel(projection) {
      if (find(viewOf(projection))) write(viewOf(projection), 'cancelled', {});
    },
  };
}

const textOf = ({ position, head, ...numbers }: RebuildProgress) => ({
  ...numbers,
  position: `${position}`,
  head: `${head}`,
});
