import type Database from 'better-sqlite3';
import { limitBy } from '../../../stores/sqlite/database-file.js';
import type { OnRollback } from '../../../stores/sqlite/group-commit.js';
import { type ForgetOf, type ForgetStep, type Forgotten, forgottenAnew } from '../../keeping.js';
import { forgottenReader } from '../../reader-positions.js';
import { daysPerKey, daysUntil, openMoveHalfHours } from '../outcomes/statistics.js';
import type { StateNumber } from '../schema.js';
import type { Shared } from '../shared.js';

type Ended = { key: number; message: number; state: StateNumber };

/**
 * Deletes deliveries that ended before a time. Overwriting a large body is slow, so the time limit is checked after
 * each row.
 */
function openPurge({ database, stateCounts }: Shared): (step: ForgetOf<'deliveries'>) => Forgotten {
  const oldest = database.prepare<[number], Ended>(
    'SELECT key, message, state FROM deliveries WHERE ended_at < ? ORDER BY ended_at LIMIT 1',
  );
  const forget = database.prepare('DELETE FROM deliveries WHERE key = ?');
  const dropBody = database.prepare(
    `UPDATE messages SET body = NULL, traceparent = NULL
     WHERE key = @key AND body IS NOT NULL AND NOT EXISTS (SELECT 1 FROM deliveries WHERE message = @key)`,
  );

  return ({ before, limit, withinMs = Number.POSITIVE_INFINITY }) => {
    const deadline = performance.now() + withinMs;
    let deleted = 0;
    while (deleted < limit) {
      const old = oldest.get(before);
      if (!old) break;
      forget.run(old.key);
      dropBody.run({ key: old.message });
      stateCounts.add(old.state, -1);
      deleted += 1;
      if (performance.now() >= deadline) break;
    }
    return forgottenAnew(deleted, deleted === 0);
  };
}

type Row = { key: bigint; position: bigint; recordedAt: bigint | null };

/** Number of recent events in a row after which no older one is expected: rows are in the order of the hand-over. */
const mostRecent = 100;

/**
 * Deletes old flow events without deliveries, in the order of their hand-over: an index by time would cost every event.
 * A wrong clock's event in the future delays no other.
 */
function openForgetPublished(database: Database.Database): (step: ForgetOf<'flowEvents'>) => Forgotten {
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
      if (recordedAt === null) note.run(now, key);
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

function openForgetTerms(database: Database.Database): (step: ForgetOf<'terms'>) => Forgotten {
  const forget = database.prepare(
    'UPDATE messages SET terms = NULL WHERE org_id = ? AND event_id = ? AND terms IS NOT NULL',
  );
  return ({ orgId, eventIds }) => {
    const forgotten = eventIds.reduce((sum, eventId) => sum + forget.run(orgId, eventId).changes, 0);
    return { forgotten, next: undefined };
  };
}

/** Deletes the statistics of old days, listener by listener, as their keys are ordered. */
function openForgetDays(database: Database.Database): (step: ForgetOf<'days'>) => Forgotten {
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

function openForgetHalfHours(database: Database.Database): (step: ForgetOf<'halfHours'>) => Forgotten {
  const move = openMoveHalfHours(database);
  return ({ before, limit }) => {
    const moved = move(before, limit);
    return forgottenAnew(moved, moved < limit);
  };
}

/** All steps but that of an organisation, which frees space in the file too. */
export function openForget(shared: Shared): (step: Exclude<ForgetStep, { of: 'organisation' }>) => Forgotten {
  const deliveries = openPurge(shared);
  const flowEvents = openForgetPublished(shared.database);
  const terms = openForgetTerms(shared.database);
  const days = openForgetDays(shared.database);
  const halfHours = openForgetHalfHours(shared.database);
  return (step) => {
    if (step.of === 'deliveries') return deliveries(step);
    if (step.of === 'flowEvents') return flowEvents(step);
    if (step.of === 'terms') return terms(step);
    return step.of === 'days' ? days(step) : halfHours(step);
  };
}

/**
 * Deletes an organisation's data but the closed gates of its listeners. Returns the number of rows deleted, at most
 * `limit`.
 */
export function openForgetOrganisation({
  database,
  changes: listenerChanges,
  leases,
  fullyLeased,
  stateCounts,
}: Shared): (step: ForgetOf<'organisation'>, onRollback: OnRollback) => Forgotten {
  const deliveriesOf = database.prepare<[string, number], Pick<Ended, 'key' | 'state'>>(
    `SELECT deliveries.key, state FROM messages CROSS JOIN deliveries ON deliveries.message = messages.key
     WHERE org_id = ? ${limitBy()}`,
  );
  const forgetDelivery = database.prepare('DELETE FROM deliveries WHERE key = ?');
  const forgetMessages = database.prepare(
    `DELETE FROM messages WHERE key IN (SELECT key FROM messages WHERE org_id = ? ${limitBy()})`,
  );
  const listenersOf = database
    .prepare<[string, number], number>(`SELECT key FROM listeners WHERE org_id = ? ${limitBy()}`)
    .pluck();
  const forgetDays = database.prepare(
    'DELETE FROM attempts_by_day WHERE key BETWEEN (? << 20) AND (? << 20) + 0xfffff',
  );
  const forgetHalfHours = database.prepare(
    `WITH RECURSIVE half_hours (number) AS (
       SELECT min(key) >> 32 FROM attempts_by_half_hour
       UNION ALL SELECT number + 1 FROM half_hours WHERE number < (SELECT max(key) >> 32 FROM attempts_by_half_hour)
     )
     DELETE FROM attempts_by_half_hour WHERE key IN (SELECT number << 32 | ? FROM half_hours)`,
  );
  const forgetWaiting = database.prepare('DELETE FROM waiting_events WHERE org_id = ?');
  const leaveGate = database.prepare(
    `UPDATE listeners SET org_id = NULL, hook_url = NULL, subscription = NULL, secret = NULL,
       health = NULL, next_due = NULL, due_since = NULL, closed = 1
     WHERE key = ?`,
  );

  function forgetDeliveries(orgId: string, limit: number, onRollback: OnRollback): number {
    const found = deliveriesOf.all(orgId, limit);
    for (const { key, state } of found) {
      forgetDelivery.run(key);
      const undo = leases.forget(key);
      if (undo) onRollback(undo);
      stateCounts.add(state, -1);
    }
    return found.length;
  }

  function forgetListeners(orgId: string, limit: number): number {
    const listeners = listenersOf.all(orgId, limit);
    for (const key of listeners) {
      forgetDays.run(key, key);
      forgetHalfHours.run(key);
      leaveGate.run(key);
    }
    return listeners.length;
  }

  return ({ orgId, limit }, onRollback) => {
    fullyLeased.invalidate();
    listenerChanges.note();
    forgetWaiting.run(orgId);
    let forgotten = 0;
    for (const step of [
      forgetDeliveries,
      (org: string, left: number) => forgetMessages.run(org, left).changes,
      forgetListeners,
    ]) {
      if (forgotten < limit) forgotten += step(orgId, limit - forgotten, onRollback);
    }
    return forgottenAnew(forgotten, forgotten < limit);
  };
}
