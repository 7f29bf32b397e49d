import type Database from 'better-sqlite3';
import type { DayOfAttempts, StatsQuery } from '../../queue/delivery-log.js';
import type { ListenerAttempts } from '../../queue/policy/listener-attempts.js';

export type AttemptStatistics = {
  /** Counts attempts to a listener, on the day of `now`; within a transaction that the caller has begun. */
  readonly add: (key: number, attempts: ListenerAttempts, now: number) => void;
  readonly read: (query: StatsQuery) => readonly DayOfAttempts[];
};

const dayMs = 86_400_000;
/** A row's key is the listener's key and the day since 1970, which has its last 20 bits. */
export const daysPerKey = 2 ** 20;

/** SQL for the parts of a row's key. */
export const dayOf = (key: string): string => `date((${key} & 0xfffff) * 86400, 'unixepoch')`;
export const listenerOf = (key: string): string => `${key} >> 20`;

export function openAttemptStatistics(database: Database.Database): AttemptStatistics {
  const add = database.prepare(
    `INSERT INTO attempts_by_day (key, succeeded, failed, exhausted, duration_ms) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (key) DO UPDATE SET
       succeeded = succeeded + excluded.succeeded, failed = failed + excluded.failed,
       exhausted = exhausted + excluded.exhausted, duration_ms = duration_ms + excluded.duration_ms`,
  );
  const read = database.prepare<[{ readonly [Field in keyof StatsQuery]-?: string | number | null }], DayOfAttempts>(
    `SELECT ${dayOf('days.key')} AS day, listener_id AS listenerId, succeeded, failed, exhausted,
       duration_ms AS durationMs
     FROM listeners CROSS JOIN attempts_by_day AS days
       ON days.key BETWEEN (listeners.key << 20) + @from AND (listeners.key << 20) + @to
     WHERE org_id = @orgId AND (@listenerId IS NULL OR listener_id = @listenerId)
     ORDER BY day, listener_id`,
  );
  return {
    add: (listener, { succeeded, failures, exhausted, durationMs }, now) =>
      void add.run(listener * daysPerKey + daysUntil(now), succeeded, failures, exhausted, durationMs),
    read: ({ orgId, listenerId = null, from, to }) =>
      read.all({
        orgId,
        listenerId,
        from: withinKey(daysUntil(Date.parse(from))),
        to: withinKey(daysUntil(Date.parse(to))),
      }),
  };
}

/** Limits a day to the 20 bits that a key has for it: a larger number would name another listener. */
const withinKey = (day: number): number => Math.min(Math.max(day, 0), daysPerKey - 1);

/** Whole days since 1970. */
export const daysUntil = (ms: number): number => Math.floor(ms / dayMs);
