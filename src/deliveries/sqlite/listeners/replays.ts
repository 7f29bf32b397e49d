import type Database from 'better-sqlite3';
import { limitBy } from '../../../stores/sqlite/limit-by.js';
import type { ListenerSchedule } from '../lease/listener-schedule.js';
import type { LongChange } from '../long-change.js';
import { type StateNumber, stateNumbers } from '../schema.js';
import { type Tally, TallyChanges } from '../tally.js';

const { waiting, cancelled, held } = stateNumbers;

/** Cancelled replays; within a transaction that the caller has begun. */
export type Replays = {
  /**
   * Cancels the replay's deliveries that are enqueued later. Returns the change that cancels its waiting and held ones, some of
   * which may be leased until it is done.
   */
  readonly cancel: (replay: string) => LongChange;
  readonly isCancelled: (replay: string) => boolean;
};

type Row = {
  readonly key: number;
  readonly message: number;
  readonly listener: number;
  readonly state: StateNumber;
};

export function openReplays(
  database: Database.Database,
  { tally, schedule }: { readonly tally: Tally; readonly schedule: ListenerSchedule },
): Replays {
  const note = database.prepare('INSERT INTO cancelled_replays (replay) VALUES (?) ON CONFLICT DO NOTHING');
  const noted = database.prepare<[string], number>('SELECT 1 FROM cancelled_replays WHERE replay = ?').pluck();
  const following = database.prepare<[string, number, number, number], Row>(
    `SELECT key, message, listener, state FROM deliveries INDEXED BY deliveries_of_replay
     WHERE replay = ? AND (message, key) > (?, ?) ORDER BY message, key ${limitBy()}`,
  );
  const cancel = database.prepare<[number, number]>(
    `UPDATE deliveries SET state = ${cancelled}, due_at = NULL, ended_at = ? WHERE key = ?`,
  );

  /** Goes through the replay's deliveries once. */
  function cancelAll(replay: string): LongChange {
    let after: Pick<Row, 'message' | 'key'> = { message: -1, key: -1 };
    return (limit, onRollback) => {
      const begin = after;
      onRollback(() => {
        after = begin;
      });
      const rows = following.all(replay, after.message, after.key, limit);
      const counts = new TallyChanges();
      const listeners = new Set<number>();
      const unfinished = rows.filter(({ state }) => state === waiting || state === held);
      for (const { key, listener, state } of unfinished) {
        cancel.run(Date.now(), key); // only the purge reads `ended_at`
        counts.move(state, cancelled);
        if (state === waiting) listeners.add(listener);
      }
      counts.writeTo(tally);
      for (const key of listeners) schedule.renew(key);
      after = rows.at(-1) ?? after;
      return { changed: unfinished.length, isDone: rows.length < limit };
    };
  }

  return {
    cancel(replay) {
      note.run(replay);
      return cancelAll(replay);
    },
    isCancelled: (replay) => noted.get(replay) !== undefined,
  };
}
