import type Database from 'better-sqlite3';
import type { OnRollback } from '../../../stores/sqlite/group-commit.js';
import { limitBy } from '../../../stores/sqlite/limit-by.js';
import type { FullyLeasedListeners } from '../lease/fully-leased-listeners.js';
import type { Leases } from '../lease/leases.js';
import type { ListenerChanges } from '../lease/listener-changes.js';
import type { StateNumber } from '../schema.js';
import { type Tally, TallyChanges } from '../tally.js';

type Row = { readonly key: number; readonly state: StateNumber };

/**
 * Deletes an organisation's data; within a transaction that the caller has begun. Of its listeners only the
 * closed gates remain. Returns the number of rows deleted, at most `limit`.
 */
export function openForgetOrganisation(
  database: Database.Database,
  {
    changes: listenerChanges,
    leases,
    fullyLeased,
    tally,
  }: {
    readonly changes: ListenerChanges;
    readonly leases: Leases;
    readonly fullyLeased: FullyLeasedListeners;
    readonly tally: Tally;
  },
): (request: { readonly orgId: string; readonly limit: number }, onRollback: OnRollback) => number {
  const deliveriesOf = database.prepare<[string, number], Row>(
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
  // None waits where the fan-out has passed the organisation's events; the table is small.
  const forgetWaiting = database.prepare('DELETE FROM waiting_events WHERE org_id = ?');
  const leaveGate = database.prepare(
    `UPDATE listeners SET org_id = NULL, hook_url = NULL, key_generation = NULL, secret_version = NULL, transform = NULL,
       previous_secret = NULL, rate_per_second = NULL, health = NULL, next_due = NULL, due_since = NULL, closed = 1
     WHERE key = ?`,
  );

  function forgetDeliveries(orgId: string, limit: number, onRollback: OnRollback): number {
    const found = deliveriesOf.all(orgId, limit);
    const changes = new TallyChanges();
    for (const { key, state } of found) {
      forgetDelivery.run(key);
      const undo = leases.forget(key);
      if (undo) onRollback(undo);
      changes.add(state, -1);
    }
    changes.writeTo(tally);
    return found.length;
  }

  function forgetListeners(orgId: string, limit: number): number {
    const listeners = listenersOf.all(orgId, limit);
    for (const key of listeners) {
      forgetDays.run(key, key);
      leaveGate.run(key);
    }
    return listeners.length;
  }

  /** Deletes messages after their deliveries, and listeners last. */
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
    return forgotten;
  };
}
