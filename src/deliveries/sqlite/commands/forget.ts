import type Database from 'better-sqlite3';
import { limitBy } from '../../../stores/sqlite/limit-by.js';
import { forgottenReader } from '../../queue/leasing.js';
import type { ForgetRequest, Forgotten } from '../../queue/listener-registry.js';
import { daysPerKey, daysUntil } from '../outcomes/attempt-statistics.js';

type Row = { readonly key: bigint; readonly position: bigint; readonly recordedAt: bigint | null };

/** Number of recent events in a row after which no older one is expected: rows are in the order of the hand-over. */
const mostRecent = 100;

/**
 * Walks the flow events in the order of their hand-over, and deletes old ones without deliveries; within a transaction that
 * the caller has begun. There is no index by time, because each event would pay for it. An event that a wrong clock has
 * recorded in the future delays no other.
 */
export function openForgetPublished(
  database: Database.Database,
): (request: ForgetRequest & { readonly now: number }) => Forgotten {
  const page = database
    .prepare<[bigint, number], Row>(
      `SELECT key, position, recorded_at AS recordedAt FROM messages WHERE key > ? ORDER BY key ${limitBy()}`,
    )
    .safeIntegers(true);
  const note = database.prepare('UPDATE messages SET recorded_at = ? WHERE key = ?');
  const forget = database.prepare(
    'DELETE FROM messages WHERE key = @key AND NOT EXISTS (SELECT 1 FROM deliveries WHERE message = @key)',
  );
  const raise = database.prepare(
    `INSERT INTO checkpoints (reader, position) VALUES ('${forgottenReader}', ?)
     ON CONFLICT (reader) DO UPDATE SET position = max(position, excluded.position)`,
  );

  return ({ before, now, limit, withinMs = Number.POSITIVE_INFINITY, after }) => {
    const deadline = performance.now() + withinMs;
    let reached = BigInt(after ?? 0);
    let highest = -1n;
    let forgotten = 0;
    let recent = 0;
    let isAtEnd = true;
    for (const { key, position, recordedAt } of page.all(reached, limit)) {
      isAtEnd = false;
      reached = key;
      if (recordedAt === null) note.run(now, key); // of a test delivery: its time counts from here
      if (recordedAt !== null && recordedAt < before) {
        recent = 0;
        const { changes } = forget.run({ key });
        forgotten += changes;
        if (changes > 0 && position > highest) highest = position;
      } else if (++recent >= mostRecent) {
        isAtEnd = true;
        break;
      }
      if (performance.now() >= deadline) break;
    }
    if (forgotten > 0) raise.run(highest);
    return { forgotten, next: isAtEnd ? undefined : `${reached}` };
  };
}

/** Deletes the statistics of old days, listener by listener, which their keys are ordered by; in a transaction that has begun. */
export function openForgetDays(database: Database.Database): (request: ForgetRequest) => Forgotten {
  const nextAfter = database.prepare<[number], number>('SELECT min(key) FROM attempts_by_day WHERE key > ?').pluck();
  const forget = database.prepare('DELETE FROM attempts_by_day WHERE key >= ? AND key < ?');

  return ({ before, limit, withinMs = Number.POSITIVE_INFINITY, after }) => {
    const deadline = performance.now() + withinMs;
    const firstKept = daysUntil(before);
    let reached = Number(after ?? -1);
    let forgotten = 0;
    for (let listeners = 0; listeners < limit; listeners += 1) {
      const key = nextAfter.get(reached) ?? undefined;
      if (key === undefined) return { forgotten, next: undefined };
      const ofListener = key - (key % daysPerKey);
      forgotten += forget.run(ofListener, ofListener + firstKept).changes;
      reached = ofListener + daysPerKey - 1;
      if (performance.now() >= deadline) break;
    }
    return { forgotten, next: `${reached}` };
  };
}
