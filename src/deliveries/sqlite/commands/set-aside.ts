import type Database from 'better-sqlite3';
import { limitBy } from '../../../stores/sqlite/limit-by.js';
import type { SetAside, SetAsideQuery } from '../../queue/kept-events.js';

/** Events that the fan-out has set aside; within a transaction that the caller has begun. */
export type SetAsideEvents = {
  /** Idempotent. */
  readonly put: (event: SetAside) => void;
  readonly list: (query?: SetAsideQuery) => readonly SetAside[];
  readonly explain: (position: bigint, reason: string) => void;
  readonly remove: (position: bigint) => void;
};

type Parameters = {
  readonly stream: string | null;
  readonly revision: bigint | null;
  readonly after: bigint;
  readonly limit: number;
};

export function openSetAside(database: Database.Database): SetAsideEvents {
  // A retry reads one event at a time, and the table is small: no index by stream is needed.
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
    explain: (position, reason) => void explain.run(reason, position),
    remove: (position) => void remove.run(position),
  };
}
