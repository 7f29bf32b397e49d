import { existsSync, readdirSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { withStoreErrors } from '../../sqlite/sqlite-errors.js';
import { maySetAside, toClear, toRemove } from '../set-aside-limits.js';

/** `as`: its name now. `since`: milliseconds since 1970. */
type SetAsideFile = { readonly as: string; readonly since: number };

/** The damaged files of a folder: `<name>.damaged-<time>`, with their logs. */
export type SetAsideFiles = {
  /** Names that begin with this prefix, oldest first. */
  readonly of: (prefix: string) => readonly SetAsideFile[];
  /**
   * Renames a file and its log, and keeps the three latest. False, with nothing changed, after three of this prefix
   * within an hour. A file that another process has set aside meanwhile counts as renamed.
   */
  readonly put: (prefix: string, name: string) => boolean;
  /** Empties those older than this; the names of recent ones stay, and count. */
  readonly clear: (prefix: string, olderThanMs: number) => void;
};

const marked = /\.damaged-(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d\.\d{3}Z)$/;

export function setAsideFiles(folder: string): SetAsideFiles {
  const of = (prefix: string): readonly SetAsideFile[] =>
    readdirSync(folder)
      .flatMap((as) => {
        const [, hour, minute, second] = as.startsWith(prefix) ? (marked.exec(as) ?? []) : [];
        return hour === undefined ? [] : [{ as, since: Date.parse(`${hour}:${minute}:${second}`) }];
      })
      .sort((one, other) => one.since - other.since);

  function remove(name: string): void {
    rmSync(join(folder, `${name}-wal`), { force: true });
    rmSync(join(folder, name), { force: true });
  }

  return {
    of: (prefix) => withStoreErrors(folder, () => of(prefix)),
    put: (prefix, name) =>
      withStoreErrors(folder, () => {
        const path = join(folder, name);
        if (!existsSync(path)) return true;
        const now = new Date();
        const before = of(prefix);
        if (!maySetAside(before, now.getTime())) return false;
        const as = join(folder, `${name}.damaged-${now.toISOString().replaceAll(':', '-')}`);
        renameWhereItIs(`${path}-wal`, `${as}-wal`); // first: a new file must not find the log of the old one
        rmSync(`${path}-shm`, { force: true });
        renameWhereItIs(path, as);
        for (const { as: old } of toRemove(before)) remove(old);
        return true;
      }),
    clear: (prefix, olderThanMs) =>
      withStoreErrors(folder, () => {
        const { emptied, removed } = toClear(of(prefix), { olderThanMs, now: Date.now() });
        for (const { as } of removed) remove(as);
        for (const { as } of emptied) {
          rmSync(join(folder, `${as}-wal`), { force: true });
          truncateSync(join(folder, as));
        }
      }),
  };
}

function renameWhereItIs(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error; // another process was first
  }
}
