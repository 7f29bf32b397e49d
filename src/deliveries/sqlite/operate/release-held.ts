import type Database from 'better-sqlite3';
import type { Released } from '../../queue/leasing.js';
import type { OnRollback } from '../group-commit.js';
import type { HookSchedule } from '../lease/hook-schedule.js';
import type { Leases } from '../lease/leases.js';
import { stateNumbers } from '../schema.js';
import type { Tally } from '../tally.js';

const { waiting, held } = stateNumbers;

type OpenHook = { readonly key: number; readonly ordered: number };

/** Makes a hook's held deliveries due, unless the hook is paused; within a transaction that the caller has begun. */
export function heldReleaser(
  database: Database.Database,
  { leases, schedule, tally }: { readonly leases: Leases; readonly schedule: HookSchedule; readonly tally: Tally },
): (released: Released, dueAt: number, onRollback: OnRollback) => void {
  const openHook = database.prepare<[string], OpenHook>(
    'SELECT key, ordered FROM listeners WHERE listener_id = ? AND closed = 0 AND paused = 0',
  );
  const position = '(SELECT position FROM messages WHERE messages.key = deliveries.message)';
  const release = database.prepare(
    `UPDATE deliveries SET state = ${waiting}, due_at = @dueAt, turn = CASE WHEN @ordered THEN ${position} END
     WHERE listener = @key AND state = ${held} AND state > 1 AND ${position} < @before`,
  );

  return ({ listenerId, before }, dueAt, onRollback) => {
    const hook = openHook.get(listenerId);
    if (!hook) return;
    const { changes } = release.run({ ...hook, before, dueAt });
    tally.add(held, -changes);
    tally.add(waiting, changes);
    onRollback(leases.renewDue(hook.key, dueAt));
    schedule.renew(hook.key);
  };
}
