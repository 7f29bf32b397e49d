import type Database from 'better-sqlite3';
import { stateNumbers } from './schema.js';
import type { Tally } from './tally.js';

const { waiting, cancelled } = stateNumbers;

/** The durable gates; within a transaction that the caller has begun. */
export type Gates = {
  /** Closes it for good and cancels what waits behind it. Returns how many deliveries that were. */
  readonly close: (listenerId: string) => number;
  readonly isOpen: (listenerId: string) => boolean;
};

export function openGates(database: Database.Database, tally: Tally): Gates {
  const closeGate = database
    .prepare<[string], number>(
      `INSERT INTO listeners (listener_id, closed) VALUES (?, 1)
       ON CONFLICT (listener_id) DO UPDATE SET closed = 1, next_due = NULL RETURNING key`,
    )
    .pluck();
  const cancel = database.prepare(
    `UPDATE deliveries SET state = ${cancelled}, due_at = NULL WHERE listener = ? AND state = ${waiting}`,
  );
  const closed = database.prepare<[string], number>('SELECT closed FROM listeners WHERE listener_id = ?').pluck();
  return {
    close(listenerId) {
      const { changes } = cancel.run(closeGate.get(listenerId));
      tally.add(waiting, -changes);
      tally.add(cancelled, changes);
      return changes;
    },
    isOpen: (listenerId) => closed.get(listenerId) === 0,
  };
}
