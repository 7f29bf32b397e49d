import type Database from 'better-sqlite3';
import type { OnRollback } from '../../../stores/sqlite/group-commit.js';
import type { DeliveryQuery, Redelivered } from '../../queue/delivery-log.js';
import type { CallTime } from '../../queue/policy/queue-clock.js';
import { redeliveryPage, redeliveryQuery } from '../../queue/policy/redelivery.js';
import type { Leases } from '../lease/leases.js';
import type { ListenerSchedule } from '../lease/listener-schedule.js';
import { cursorOf, type ListDeliveries, type ListedRow } from '../log/list-deliveries.js';
import { pausedNumbers, stateNumbers } from '../schema.js';
import { type Tally, TallyChanges } from '../tally.js';

const { waiting } = stateNumbers;

type Parts = {
  readonly leases: Leases;
  readonly list: ListDeliveries;
  readonly schedule: ListenerSchedule;
  readonly tally: Tally;
};

/** Makes deliveries due now; within a transaction that the caller has begun. */
export function openRedeliver(
  database: Database.Database,
  { leases, list, schedule, tally }: Parts,
): (query: DeliveryQuery, time: CallTime, onRollback: OnRollback) => Redelivered {
  const makeDue = database.prepare(
    `UPDATE deliveries SET state = ${waiting}, due_at = @dueAt, ended_at = NULL,
       turn = CASE WHEN @ordered THEN (SELECT position FROM messages WHERE messages.key = deliveries.message) END
     WHERE key = @key`,
  );

  return (query, { queueNow }, onRollback) => {
    const isServed = ({ closed, paused }: ListedRow) => !closed && paused !== pausedNumbers.paused;
    const { wanted, next } = redeliveryPage(list(redeliveryQuery(query)), query, { isServed, cursorOf });
    const listeners = new Set<number>();
    const changes = new TallyChanges();
    for (const { key, id, state, listener, ordered } of wanted) {
      makeDue.run({ key, dueAt: queueNow, ordered });
      changes.move(state, waiting);
      const undo = leases.redeliverAfterLease(id);
      if (undo) onRollback(undo);
      listeners.add(listener);
    }
    changes.writeTo(tally);
    for (const listener of listeners) schedule.renew(listener);
    return { redelivered: wanted.length, next };
  };
}
