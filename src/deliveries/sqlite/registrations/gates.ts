import type Database from 'better-sqlite3';
import type { HookChanges } from '../lease/hook-changes.js';
import type { Looks } from '../lease/looks.js';
import type { HookHealths } from '../outcomes/hook-healths.js';
import { stateNumbers } from '../schema.js';
import type { Tally } from '../tally.js';

const { waiting, cancelled, held } = stateNumbers;

/** The durable gates; within a transaction that the caller has begun. */
export type Gates = {
  /** Closes it for good and cancels what waits or is held behind it. Returns how many deliveries that were. */
  readonly close: (listenerId: string) => number;
  readonly isOpen: (listenerId: string) => boolean;
};

export function openGates(
  database: Database.Database,
  {
    changes,
    tally,
    healths,
    looks,
  }: { readonly changes: HookChanges; readonly tally: Tally; readonly healths: HookHealths; readonly looks: Looks },
): Gates {
  const closeGate = database
    .prepare<[string], number>(
      `INSERT INTO listeners (listener_id, closed) VALUES (?, 1)
       ON CONFLICT (listener_id) DO UPDATE SET closed = 1, next_due = NULL, due_since = NULL, health = NULL RETURNING key`,
    )
    .pluck();
  const cancel = (condition: string) =>
    database.prepare(`UPDATE deliveries SET state = ${cancelled}, due_at = NULL, ended_at = ? WHERE ${condition}`);
  const cancelWaiting = cancel(`listener = ? AND state = ${waiting}`);
  const cancelHeld = cancel(`listener = ? AND state = ${held} AND state > 1`);
  const closed = database.prepare<[string], number>('SELECT closed FROM listeners WHERE listener_id = ?').pluck();
  return {
    close(listenerId) {
      const key = closeGate.get(listenerId) as number; // it is there now
      const now = Date.now(); // whoever closes a gate is in a hurry and says no time; the purge alone goes by it
      const waited = cancelWaiting.run(now, key).changes;
      const wereHeld = cancelHeld.run(now, key).changes;
      tally.add(waiting, -waited);
      tally.add(held, -wereHeld);
      tally.add(cancelled, waited + wereHeld);
      healths.forget(key);
      looks.forget(key);
      changes.note();
      return waited + wereHeld;
    },
    isOpen: (listenerId) => closed.get(listenerId) === 0,
  };
}
