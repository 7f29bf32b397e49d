import type Database from 'better-sqlite3';
import type { ActivityQuery, MinuteOfActivity } from '../../queue/delivery-log.js';
import {
  type ActivityCounts,
  keepActivityMs,
  minuteMs,
  noActivity,
  sumOfActivity,
} from '../../queue/policy/activity.js';

/**
 * The activity of the whole service by minute. It is counted in memory and written once per minute at the end of the
 * transaction that counted it: both are undone together.
 */
export type Activity = {
  /** `now`: milliseconds since 1970. */
  readonly add: (counts: ActivityCounts, now: number) => void;
  readonly addEvent: (now: number) => void;
  /** Writes what was counted since the transaction began, and removes old minutes when another one begins. */
  readonly write: () => void;
  /** Forgets what was counted in a transaction that did not commit. */
  readonly rolledBack: () => void;
  readonly read: (query: ActivityQuery) => readonly MinuteOfActivity[];
};

/** A minute: minutes since 1970. The histograms are arrays in JSON. */
type Row = {
  readonly minute: number;
  readonly events: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly exhausted: number;
  readonly latency: string;
  readonly duration: string;
};

export const activityColumns = 'minute, events, succeeded, failed, exhausted, latency, duration';

export function openActivity(database: Database.Database): Activity {
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
    addEvent(now) {
      const minute = minuteNumber(now);
      events.set(minute, (events.get(minute) ?? 0) + 1);
    },
    write() {
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
    read: ({ from, to }) => read.all(numberOf(from), numberOf(to)).map(toMinute),
  };
}

const minuteNumber = (time: number): number => Math.floor(time / minuteMs);

/** Number of the first minute that begins at that time or later. */
const numberOf = (time: number): number => Math.ceil(time / minuteMs);

const toMinute = ({ minute, latency, duration, ...counts }: Row): MinuteOfActivity => ({
  at: minute * minuteMs,
  ...counts,
  latency: bucketsOf(latency),
  duration: bucketsOf(duration),
});

export const bucketsOf = (json: string): readonly number[] => JSON.parse(json) as number[]; // as it was written
