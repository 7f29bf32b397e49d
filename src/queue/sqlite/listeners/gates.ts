import { limitBy } from '../../../stores/sqlite/database-file.js';
import type { LongChange } from '../long-changes.js';
import { type StateNumber, stateNumbers } from '../schema.js';
import type { Shared } from '../shared.js';

const { waiting, cancelled, held } = stateNumbers;

export type GateStore = ReturnType<typeof openGateStore>;

export function openGateStore({ database, changes, stateCounts, healths, fullyLeased }: Shared) {
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
      stateCounts.move(waiting, cancelled, waited);
      stateCounts.move(held, cancelled, wereHeld);
      return { changed: waited + wereHeld, isDone: waited + wereHeld < limit };
    };

  return {
    /** Closes the gate permanently. Returns the change that cancels the listener's waiting and held deliveries. */
    close(listenerId: string): LongChange {
      const key = closeGate.get(listenerId) as number;
      healths.forget(key);
      fullyLeased.invalidate(key);
      changes.note();
      return cancelAll(key);
    },
    closedOf: (listenerIds: readonly string[]): ReadonlySet<string> =>
      new Set(listenerIds.filter((listenerId) => closed.get(listenerId) !== 0)),
  };
}

export type Replays = ReturnType<typeof openReplays>;

type Row = {
  key: number;
  message: number;
  listener: number;
  state: StateNumber;
};

export function openReplays({ database, stateCounts, schedule }: Shared) {
  const note = database.prepare('INSERT INTO cancelled_replays (replay) VALUES (?) ON CONFLICT DO NOTHING');
  const noted = database.prepare<[string], number>('SELECT 1 FROM cancelled_replays WHERE replay = ?').pluck();
  const following = database.prepare<[string, number, number, number], Row>(
    `SELECT key, message, listener, state FROM deliveries INDEXED BY deliveries_of_replay
     WHERE replay = ? AND (message, key) > (?, ?) ORDER BY message, key ${limitBy()}`,
  );
  const cancel = database.prepare<[number, number]>(
    `UPDATE deliveries SET state = ${cancelled}, due_at = NULL, ended_at = ? WHERE key = ?`,
  );

  function cancelAll(replay: string): LongChange {
    let after: Pick<Row, 'message' | 'key'> = { message: -1, key: -1 };
    return (limit, onRollback) => {
      const begin = after;
      onRollback(() => {
        after = begin;
      });
      const rows = following.all(replay, after.message, after.key, limit);
      const listeners = new Set<number>();
      const unfinished = rows.filter(({ state }) => state === waiting || state === held);
      for (const { key, listener, state } of unfinished) {
        cancel.run(Date.now(), key);
        stateCounts.move(state, cancelled);
        if (state === waiting) listeners.add(listener);
      }
      for (const key of listeners) schedule.renew(key);
      after = rows.at(-1) ?? after;
      return { changed: unfinished.length, isDone: rows.length < limit };
    };
  }

  return {
    /**
     * Cancels also deliveries enqueued later. Returns the change that cancels the waiting and held ones; some may be
     * leased until it is done.
     */
    cancel(replay: string): LongChange {
      note.run(replay);
      return cancelAll(replay);
    },
    isCancelled: (replay: string): boolean => noted.get(replay) !== undefined,
  };
}
