import type Database from 'better-sqlite3';
import type { HookSchedule } from '../lease/hook-schedule.js';
import { type StateNumber, stateNumbers } from '../schema.js';
import type { Tally } from '../tally.js';

const { waiting, cancelled, held } = stateNumbers;

/** Cancelled replays; within a transaction that the caller has begun. */
export type Replays = {
  /** Cancels the replay's waiting and held deliveries, and those enqueued later. Returns the number cancelled now. */
  readonly cancel: (replay: string) => number;
  readonly isCancelled: (replay: string) => boolean;
};

export function openReplays(
  database: Database.Database,
  { tally, schedule }: { readonly tally: Tally; readonly schedule: HookSchedule },
): Replays {
  const note = database.prepare('INSERT INTO cancelled_replays (replay) VALUES (?) ON CONFLICT DO NOTHING');
  const noted = database.prepare<[string], number>('SELECT 1 FROM cancelled_replays WHERE replay = ?').pluck();
  const hooks = database
    .prepare<[string], number>(`SELECT DISTINCT listener FROM deliveries WHERE replay = ? AND state = ${waiting}`)
    .pluck();
  const cancel = database.prepare(
    `UPDATE deliveries SET state = ${cancelled}, due_at = NULL, ended_at = ? WHERE replay = ? AND state = ?`,
  );

  function cancelInState(replay: string, state: StateNumber): number {
    const { changes } = cancel.run(Date.now(), replay, state); // only the purge reads `ended_at`
    tally.add(state, -changes);
    tally.add(cancelled, changes);
    return changes;
  }

  return {
    cancel(replay) {
      note.run(replay);
      const waited = hooks.all(replay);
      const count = cancelInState(replay, waiting) + cancelInState(replay, held);
      for (const key of waited) schedule.renew(key);
      return count;
    },
    isCancelled: (replay) => noted.get(replay) !== undefined,
  };
}
