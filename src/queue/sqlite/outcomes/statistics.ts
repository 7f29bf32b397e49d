import type Database from 'better-sqlite3';
import { limitBy } from '../../../stores/sqlite/database-file.js';
import type {
  ActivityQuery,
  AttemptsByDay,
  AttemptsByHalfHour,
  AttemptsOfPeriod,
  AttemptsQuery,
  MinuteOfActivity,
} from '../../delivery-log.js';
import {
  type ActivityCounts,
  halfHourMs,
  keepActivityMs,
  minuteMs,
  noActivity,
  sumOfActivity,
} from '../../policy/activity.js';
import type { ListenerAttempts } from '../../policy/listener-attempts.js';
import type { StateNumber } from '../schema.js';

/**
 * The number of deliveries in each state, since counting rows would be slow. Changes are summed in memory and written at
 * the end of the transaction, as those of the activity are.
 */
export function openStateCounts(database: Database.Database) {
  const change = database.prepare('UPDATE tally SET deliveries = deliveries + ? WHERE state = ?');
  const read = database.prepare<[number], number>('SELECT deliveries FROM tally WHERE state = ?').pluck();
  const changes = new Map<StateNumber, number>();

  function add(state: StateNumber, deliveries: number): void {
    changes.set(state, (changes.get(state) ?? 0) + deliveries);
  }

  return {
    add,
    move(from: StateNumber, to: StateNumber, deliveries = 1): void {
      add(from, -deliveries);
      add(to, deliveries);
    },
    of: (state: StateNumber): number => (read.get(state) ?? 0) + (changes.get(state) ?? 0),
    write(): void {
      for (const [state, deliveries] of changes) if (deliveries !== 0) change.run(deliveries, state);
      changes.clear();
    },
    rolledBack: (): void => changes.clear(),
  };
}

export type AttemptStatistics = ReturnType<typeof openAttemptStatistics>;

const dayMs = 86_400_000;
/** A row's key is the listener's key followed by the day since 1970 in 20 bits. */
export const daysPerKey = 2 ** 20;

export const dayOf = (key: string): string => `date((${key} & 0xfffff) * 86400, 'unixepoch')`;
export const listenerOf = (key: string): string => `${key} >> 20`;

const counts = 'succeeded, failed, exhausted, duration_ms';
const added = `ON CONFLICT (key) DO UPDATE SET succeeded = succeeded + excluded.succeeded, failed = failed + excluded.failed,
  exhausted = exhausted + excluded.exhausted, duration_ms = duration_ms + excluded.duration_ms`;

/** Moves up to `limit` half hours before a time to their days. Returns their number. */
export function openMoveHalfHours(database: Database.Database): (before: number, limit: number) => number {
  const lastOf = database
    .prepare<[number, number], bigint | null>(
      `SELECT max(key) FROM (SELECT key FROM attempts_by_half_hour WHERE key < ? << 32 ORDER BY key ${limitBy()})`,
    )
    .pluck()
    .safeIntegers(true);
  const addToDays = database.prepare<[bigint]>(
    `INSERT INTO attempts_by_day (key, ${counts})
     SELECT ((key & 0xffffffff) << 20) + (key >> 32) / 48 AS day, sum(succeeded), sum(failed), sum(exhausted), sum(duration_ms)
     FROM attempts_by_half_hour WHERE key <= ? GROUP BY day ${added}`,
  );
  const forget = database.prepare<[bigint]>('DELETE FROM attempts_by_half_hour WHERE key <= ?');
  return (before, limit) => {
    const last = lastOf.get(halfHoursUntil(before), limit);
    if (last === null || last === undefined) return 0;
    addToDays.run(last);
    return forget.run(last).changes;
  };
}

/** Statistics by half hour and listener; days are the sums of old half hours, to which a query adds the later ones. */
export function openAttemptStatistics(database: Database.Database) {
  const add = database.prepare(
    `INSERT INTO attempts_by_half_hour (key, ${counts}) VALUES (? << 32 | ?, ?, ?, ?, ?) ${added}`,
  );
  const readHalfHours = database.prepare<[Omit<AttemptsByHalfHour, 'by'>], AttemptsOfPeriod>(
    `WITH RECURSIVE half_hours (number) AS (
       VALUES (@from) UNION ALL SELECT number + 1 FROM half_hours WHERE number < @to
     )
     SELECT number * ${halfHourMs} AS at, listener_id AS listenerId, succeeded, failed, exhausted, duration_ms AS durationMs
     FROM listeners CROSS JOIN half_hours
     CROSS JOIN attempts_by_half_hour AS attempts ON attempts.key = (number << 32 | listeners.key)
     WHERE org_id = @orgId AND listener_id = @listenerId AND number < @to
     ORDER BY number`,
  );
  type Days = { [Field in Exclude<keyof AttemptsByDay, 'by'>]-?: string | number | null };
  const readDays = database.prepare<[Days], AttemptsOfPeriod>(
    `WITH RECURSIVE half_hours (number) AS (
       SELECT (SELECT min(key) FROM attempts_by_half_hour WHERE key >= (@from * 48) << 32) >> 32
       UNION ALL
       SELECT (SELECT min(key) FROM attempts_by_half_hour WHERE key >= (number + 1) << 32) >> 32 FROM half_hours
       WHERE number < @to * 48 + 47
     ), of_listeners AS (
       SELECT key, listener_id FROM listeners
       WHERE org_id = @orgId AND (@listenerId IS NULL OR listener_id = @listenerId)
     ), attempts AS (
       SELECT of_listeners.key, listener_id, days.key & 0xfffff AS day, ${counts}
       FROM of_listeners CROSS JOIN attempts_by_day AS days
         ON days.key BETWEEN (of_listeners.key << 20) + @from AND (of_listeners.key << 20) + @to
       UNION ALL
       SELECT of_listeners.key, listener_id, number / 48, ${counts}
       FROM of_listeners CROSS JOIN half_hours
       CROSS JOIN attempts_by_half_hour AS attempts ON attempts.key = (number << 32 | of_listeners.key)
       WHERE number < (@to + 1) * 48
     )
     SELECT day * ${dayMs} AS at, listener_id AS listenerId, sum(succeeded) AS succeeded,
       sum(failed) AS failed, sum(exhausted) AS exhausted, sum(duration_ms) AS durationMs
     FROM attempts GROUP BY attempts.day, listener_id ORDER BY attempts.day, listener_id`,
  );
  return {
    add(listener: number, attempts: ListenerAttempts, now: number): void {
      const { succeeded, failures, exhausted, durationMs } = attempts;
      add.run(Math.floor(now / halfHourMs), listener, succeeded, failures, exhausted, durationMs);
    },
    read(query: AttemptsQuery): readonly AttemptsOfPeriod[] {
      const { orgId, from, to } = query;
      if (query.by === 'half hour') {
        const { listenerId } = query;
        return readHalfHours.all({ orgId, listenerId, from: halfHoursUntil(from), to: halfHoursUntil(to) });
      }
      const days = { from: withinKey(Math.ceil(from / dayMs)), to: withinKey(Math.ceil(to / dayMs) - 1) };
      return readDays.all({ orgId, listenerId: query.listenerId ?? null, ...days });
    },
  };
}

/** A larger number would name another listener. */
const withinKey = (day: number): number => Math.min(Math.max(day, 0), daysPerKey - 1);

export const daysUntil = (ms: number): number => Math.floor(ms / dayMs);

/** Number of half hours that begin before this time. */
const halfHoursUntil = (ms: number): number => Math.ceil(ms / halfHourMs);

export type Activity = ReturnType<typeof openActivity>;

type Row = {
  minute: number;
  events: number;
  succeeded: number;
  failed: number;
  exhausted: number;
  latency: string;
  duration: string;
};

export const activityColumns = 'minute, events, succeeded, failed, exhausted, latency, duration';

/**
 * The service's activity by minute since 1970, counted in memory and written at the end of the transaction; both are
 * undone together.
 */
export function openActivity(database: Database.Database) {
  const find = database.prepare<[number], Row>(`SELECT ${activityColumns} FROM activity_by_minute WHERE minute = ?`);
  const put = database.prepare(
    `INSERT OR REPLACE INTO activity_by_minute (${activityColumns}) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const forget = database.prepare('DELETE FROM activity_by_minute WHERE minute < ?');
  const read = database.prepare<[number, number], Row>(
    `SELECT ${activityColumns} FROM activity_by_minute WHERE minute >= ? AND minute < ? ORDER BY minute`,
  );
  let counted = new Map<number, ActivityCounts>();
  let events = new Map<number, number>();

  function add(counts: ActivityCounts, now: number): void {
    const minute = minuteNumber(now);
    counted.set(minute, sumOfActivity(counted.get(minute) ?? noActivity, counts));
  }

  function clear(): void {
    if (counted.size > 0) counted = new Map();
    if (events.size > 0) events = new Map();
  }

  return {
    add,
    addEvent(now: number): void {
      const minute = minuteNumber(now);
      events.set(minute, (events.get(minute) ?? 0) + 1);
    },
    /** Also removes old minutes when another one begins. */
    write(): void {
      for (const [minute, count] of events) add({ ...noActivity, events: count }, minute * minuteMs);
      for (const [minute, counts] of counted) {
        const row = find.get(minute);
        if (!row) forget.run(minute - keepActivityMs / minuteMs);
        const { latency, duration, ...sum } = sumOfActivity(row ? toMinute(row) : noActivity, counts);
        const { succeeded, failed, exhausted } = sum;
        put.run(minute, sum.events, succeeded, failed, exhausted, JSON.stringify(latency), JSON.stringify(duration));
      }
      clear();
    },
    rolledBack: clear,
    read: ({ from, to }: ActivityQuery): readonly MinuteOfActivity[] =>
      read.all(numberOf(from), numberOf(to)).map(toMinute),
  };
}

const minuteNumber = (time: number): number => Math.floor(time / minuteMs);

const numberOf = (time: number): number => Math.ceil(time / minuteMs);

const toMinute = ({ minute, latency, duration, ...counts }: Row): MinuteOfActivity => ({
  at: minute * minuteMs,
  ...counts,
  latency: bucketsOf(latency),
  duration: bucketsOf(duration),
});

export const bucketsOf = (json: string): readonly number[] => JSON.parse(json) as number[];
