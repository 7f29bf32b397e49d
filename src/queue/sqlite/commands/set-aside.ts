import type Database from 'better-sqlite3';
import { limitBy } from '../../../stores/sqlite/database-file.js';
import type { SetAside, SetAsideChange, SetAsideQuery } from '../../delivery.js';

export type SetAsideStore = {
  put: (event: SetAside) => void;
  change: (change: SetAsideChange) => void;
  list: (query?: SetAsideQuery) => readonly SetAside[];
};

type Parameters = {
  stream: string | null;
  revision: bigint | null;
  after: bigint;
  limit: number;
};

export function openSetAside(database: Database.Database): SetAsideStore {
  // No index by stream: the table is small, and a retry reads one event at a time.
  const list = database
    .prepare<[Parameters], SetAside>(
      `SELECT position, stream, revision, type, reason FROM set_aside
       WHERE position > @after AND (@stream IS NULL OR (stream = @stream AND revision = @revision))
       ORDER BY position ${limitBy('@limit')}`,
    )
    .safeIntegers(true);
  const put = database.prepare(
    'INSERT INTO set_aside (position, stream, revision, type, reason) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const explain = database.prepare<[string, bigint]>('UPDATE set_aside SET reason = ? WHERE position = ?');
  const remove = database.prepare<[bigint]>('DELETE FROM set_aside WHERE position = ?');
  return {
    put: ({ position, stream, revision, type, reason }) => void put.run(position, stream, revision, type, reason),
    list: ({ event, after = -1n, limit = 100 } = {}) =>
      list.all({ stream: event?.stream ?? null, revision: event?.revision ?? null, after, limit }),
    change: ({ position, reason }) =>
      void (reason === undefined ? remove.run(position) : explain.run(reason, position)),
  };
}
