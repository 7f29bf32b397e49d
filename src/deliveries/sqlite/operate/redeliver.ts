import type Database from 'better-sqlite3';
import type { DeliveryQuery } from '../../queue/delivery-log.js';
import type { QueueClock } from '../../queue/policy/queue-clock.js';
import type { OnRollback } from '../group-commit.js';
import type { HookSchedule } from '../lease/hook-schedule.js';
import type { Leases } from '../lease/leases.js';
import { cursorOf, type ListDeliveries } from '../log/list-deliveries.js';
import { stateNumbers } from '../schema.js';
import { type Tally, TallyChanges } from '../tally.js';

const { waiting } = stateNumbers;

export type Redelivered = { readonly redelivered: number; readonly next: string | undefined };

type Parts = {
  readonly clock: QueueClock;
  readonly leases: Leases;
  readonly list: ListDeliveries;
  readonly schedule: HookSchedule;
  readonly tally: Tally;
};

/** Makes deliveries due now; within a transaction that the caller has begun. */
export function redeliverer(
  database: Database.Database,
  { clock, leases, list, schedule, tally }: Parts,
): (query: DeliveryQuery, now: number, onRollback: OnRollback) => Redelivered {
  const makeDue = database.prepare(
    `UPDATE deliveries SET state = ${waiting}, due_at = @now, ended_at = NULL,
       turn = CASE WHEN @ordered THEN (SELECT position FROM messages WHERE messages.key = deliveries.message) END
     WHERE key = @key`,
  );

  return ({ limit = 100, ...query }, now, onRollback) => {
    const listed = list({ ...query, limit: limit + 1 });
    const page = listed.slice(0, limit);
    const wanted = page.filter(({ closed, paused }) => !closed && !paused);
    const hooks = new Set<number>();
    const changes = new TallyChanges();
    const dueAt = clock.of(now);
    for (const { key, id, state, listener, ordered } of wanted) {
      makeDue.run({ key, now: dueAt, ordered });
      changes.move(state, waiting);
      const undo = leases.redeliverAfterLease(id);
      if (undo) onRollback(undo);
      hooks.add(listener);
    }
    changes.writeTo(tally);
    for (const listener of hooks) schedule.renew(listener);
    const last = page.at(-1);
    return { redelivered: wanted.length, next: listed.length > limit && last ? cursorOf(last) : undefined };
  };
}
