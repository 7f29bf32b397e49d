import type Database from 'better-sqlite3';
import type { DayOfAttempts, StatsQuery } from '../delivery-queue.js';
import type { HookAttempts } from '../hook-attempts.js';

export type AttemptStatistics = {
  /** Counts attempts to a hook, on the day of `now`; within a transaction that the caller has begun. */
  readonly add: (key: number, attempts: HookAttempts, now: number) => void;
  readonly read: (query: StatsQuery) => readonly DayOfAttempts[];
};

export function openAttemptStatistics(database: Database.Database): AttemptStatistics {
  const add = database.prepare(
    `INSERT INTO attempts_by_day (listener, day, succeeded, failed, exhausted, duration_ms) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET
       succeeded = succeeded + excluded.succeeded, failed = failed + excluded.failed,
       exhausted = exhausted + excluded.exhausted, duration_ms = duration_ms + excluded.duration_ms`,
  );
  const read = database.prepare<[{ readonly [Field in keyof StatsQuery]: string | null }], DayOfAttempts>(
    `SELECT day, listener_id AS listenerId, succeeded, failed, exhausted, duration_ms AS durationMs
     FROM listeners CROSS JOIN attempts_by_day ON attempts_by_day.listener = listeners.key
     WHERE org_id = @orgId AND (@listenerId IS NULL OR listener_id = @listenerId) AND day BETWEEN @from AND @to
     ORDER BY day, listener_id`,
  );
  return {
    add: (key, { succeeded, failures, exhausted, durationMs }, now) =>
      void add.run(key, new Date(now).toISOString().slice(0, 10), succeeded, failures, exhausted, durationMs),
    read: ({ orgId, listenerId = null, from, to }) => read.all({ orgId, listenerId, from, to }),
  };
}
