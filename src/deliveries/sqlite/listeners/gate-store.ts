import type Database from 'better-sqlite3';
import { limitBy } from '../../../stores/sqlite/limit-by.js';
import type { FullyLeasedListeners } from '../lease/fully-leased-listeners.js';
import type { ListenerChanges } from '../lease/listener-changes.js';
import type { LongChange } from '../long-change.js';
import type { ListenerHealths } from '../outcomes/listener-healths.js';
import { stateNumbers } from '../schema.js';
import type { Tally } from '../tally.js';

const { waiting, cancelled, held } = stateNumbers;

/** The gates of listeners; within a transaction that the caller has begun. */
export type GateStore = {
  /** Closes the gate permanently. Returns the change that cancels the listener's waiting and held deliveries. */
  readonly close: (listenerId: string) => LongChange;
  readonly isOpen: (listenerId: string) => boolean;
};

export function openGateStore(
  database: Database.Database,
  {
    changes,
    tally,
    healths,
    fullyLeased,
  }: {
    readonly changes: ListenerChanges;
    readonly tally: Tally;
    readonly healths: ListenerHealths;
    readonly fullyLeased: FullyLeasedListeners;
  },
): GateStore {
  const closeGate = database
    .prepare<[string], number>(
      `INSERT INTO listeners (listener_id, closed) VALUES (?, 1)
       ON CONFLICT (listener_id) DO UPDATE SET closed = 1, next_due = NULL, due_since = NULL, health = NULL RETURNING key`,
    )
    .pluck();
  const cancel = (condition: string) =>
    database.prepare<[number, number, number]>(
      `UPDATE deliveries SET state = ${cancelled}, due_at = NULL, ended_at = ?
       WHERE key IN (SELECT key FROM deliveries WHERE ${condition} ${limitBy()})`,
    );
  const cancelWaiting = cancel(`listener = ? AND state = ${waiting}`);
  const cancelHeld = cancel(`listener = ? AND state = ${held} AND state > 1`);
  const closed = database.prepare<[string], number>('SELECT closed FROM listeners WHERE listener_id = ?').pluck();

  const cancelAll =
    (key: number): LongChange =>
    (limit) => {
      const now = Date.now(); // callers pass no time; only the purge reads `ended_at`
      const waited = cancelWaiting.run(now, key, limit).changes;
      const wereHeld = cancelHeld.run(now, key, limit - waited).changes;
      tally.add(waiting, -waited);
      tally.add(held, -wereHeld);
      tally.add(cancelled, waited + wereHeld);
      return { changed: waited + wereHeld, isDone: waited + wereHeld < limit };
    };

  return {
    close(listenerId) {
      const key = closeGate.get(listenerId) as number; // the row exists now
      healths.forget(key);
      fullyLeased.invalidate(key);
      changes.note();
      return cancelAll(key);
    },
    isOpen: (listenerId) => closed.get(listenerId) === 0,
  };
}
