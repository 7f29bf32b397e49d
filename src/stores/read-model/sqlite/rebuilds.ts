import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type FileLock, takeFileLock } from '../../sqlite/file-lock.js';
import { withStoreErrors } from '../../sqlite/sqlite-errors.js';
import { RebuildCancelled, RebuildUnderWay } from '../errors.js';
import { type Projection, viewOf } from '../projection.js';
import type { RebuildClaim, RebuildProgress, RebuildRecord, Rebuilds } from '../rebuilds.js';
import type { ViewsFile } from './views-file.js';

type Row = {
  build: string | null;
  host: string;
  pid: number;
  since: string;
  cancelled: 0 | 1;
  progress: string | null;
};

/** A check for a running rebuild holds the lock for a moment. */
const looks = { times: 10, everyMs: 20 };

/**
 * Rows, each with a lock that the operating system releases when its holder dies: a living holder never counts as dead,
 * and a dead one delays no other process.
 */
export function openRebuilds(folder: string, { get, run }: ViewsFile): Rebuilds {
  const find = (view: string) => get<Row>('SELECT * FROM rebuilds WHERE view = ?', view);
  const take = `INSERT INTO rebuilds VALUES (:view, NULL, :host, :pid, :since, 0, NULL) ON CONFLICT (view) DO UPDATE
     SET host = :host, pid = :pid, since = :since, cancelled = 0`;

  const lockOf = (view: string): string => join(folder, `${view}.rebuild.lock`);
  const lock = (view: string): FileLock | undefined => withStoreErrors(lockOf(view), () => takeFileLock(lockOf(view)));

  async function lockPatiently(view: string): Promise<FileLock | undefined> {
    for (let look = 1; look < looks.times; look += 1) {
      const taken = lock(view);
      if (taken) return taken;
      await pause(looks.everyMs);
    }
    return lock(view);
  }

  function isHeld(view: string): boolean {
    const taken = lock(view);
    taken?.release();
    return taken === undefined;
  }

  function claimOf({ name }: Projection, view: string, left: Row | undefined, { release }: FileLock): RebuildClaim {
    return {
      left: left && { build: left.build ?? undefined, cancelled: left.cancelled === 1 },
      begin: async (build) => run('UPDATE rebuilds SET build = ? WHERE view = ?', build, view),
      async note(progress) {
        run('UPDATE rebuilds SET progress = ? WHERE view = ?', textOf(progress), view);
        if (find(view)?.cancelled === 1) throw new RebuildCancelled(name);
      },
      release: async () => release(),
      async end() {
        run('DELETE FROM rebuilds WHERE view = ?', view);
        release();
        return true;
      },
    };
  }

  return {
    async claim(projection) {
      const view = viewOf(projection);
      const taken = await lockPatiently(view);
      if (!taken) throw new RebuildUnderWay(projection.name, recordOf(find(view))?.holder);
      try {
        const left = find(view);
        const since = new Date().toISOString();
        run(take, { view, host: hostname(), pid: process.pid, since });
        return claimOf(projection, view, left, taken);
      } catch (error) {
        taken.release();
        throw error;
      }
    },
    async find(projection) {
      const view = viewOf(projection);
      const record = recordOf(find(view));
      return record && (isHeld(view) ? record : { ...record, holder: undefined });
    },
    async cancel(projection) {
      run('UPDATE rebuilds SET cancelled = 1 WHERE view = ?', viewOf(projection));
    },
  };
}

function recordOf(row: Row | undefined): RebuildRecord | undefined {
  if (!row) return undefined;
  const { build, host, pid, since, cancelled, progress } = row;
  return {
    build: build ?? undefined,
    holder: { host, pid, since },
    cancelled: cancelled === 1,
    progress: progress === null ? undefined : progressOf(progress),
  };
}

const textOf = ({ position, head, ...numbers }: RebuildProgress): string =>
  JSON.stringify({ ...numbers, position: `${position}`, head: `${head}` });

function progressOf(text: string): RebuildProgress {
  const { position, head, ...numbers } = JSON.parse(text);
  return { ...numbers, position: BigInt(position), head: BigInt(head) };
}
