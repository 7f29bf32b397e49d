import { limitBy } from '../../../stores/sqlite/database-file.js';
import type { DeliveryQuery, Redelivered } from '../../delivery-log.js';
import { redeliveryPage, redeliveryQuery } from '../../delivery-pages.js';
import type { Released } from '../../fan-out-batch.js';
import type { CallTime } from '../../policy/queue-clock.js';
import { cursorOf, type ListDeliveries, type ListedRow } from '../log/list-deliveries.js';
import type { LongChange } from '../long-changes.js';
import { pausedNumbers, stateNumbers } from '../schema.js';
import type { Shared } from '../shared.js';

const { waiting, held } = stateNumbers;
const { active, paused, releasing } = pausedNumbers;

export function openRedeliver(
  { database, schedule, stateCounts }: Shared,
  list: ListDeliveries,
): (query: DeliveryQuery, time: CallTime) => Redelivered {
  const makeDue = database.prepare(
    `UPDATE deliveries SET state = ${waiting}, due_at = @dueAt, ended_at = NULL, requests = requests + 1,
       turn = CASE WHEN @ordered THEN (SELECT position FROM messages WHERE messages.key = deliveries.message) END
     WHERE key = @key`,
  );

  return (query, { queueNow }) => {
    const isServed = ({ closed, paused }: ListedRow) => !closed && paused !== pausedNumbers.paused;
    const { selected, next } = redeliveryPage(list(redeliveryQuery(query)), query, { isServed, cursorOf });
    const listeners = new Set<number>();
    for (const { key, state, listener, ordered } of selected) {
      makeDue.run({ key, dueAt: queueNow, ordered });
      stateCounts.move(state, waiting);
      listeners.add(listener);
    }
    for (const listener of listeners) schedule.renew(listener);
    return { redelivered: selected.length, next };
  };
}

/**
 * Returns undefined if the listener is paused or its gate is closed. Nothing of it is leased until the change is done,
 * which keeps an ordered listener's order.
 */
export type ReleaseHeld = (released: Released, dueAt: number) => LongChange | undefined;

export function openReleaseHeld({ database, changes, schedule, stateCounts }: Shared): ReleaseHeld {
  const setPaused = (to: number, from: string) =>
    database
      .prepare<[string], number>(
        `UPDATE listeners SET paused = ${to} WHERE listener_id = ? AND closed = 0 AND paused ${from} RETURNING key`,
      )
      .pluck();
  const begin = setPaused(releasing, `<> ${paused}`);
  const end = setPaused(active, `= ${releasing}`);
  const isOrdered = database
    .prepare<[number], number>(`SELECT ordered FROM listeners WHERE key = ? AND closed = 0 AND paused = ${releasing}`)
    .pluck();
  const position = '(SELECT position FROM messages WHERE messages.key = deliveries.message)';
  const release = database.prepare<[object]>(
    `UPDATE deliveries SET state = ${waiting}, due_at = @dueAt, turn = CASE WHEN @ordered THEN ${position} END
       WHERE key IN (
         SELECT key FROM deliveries INDEXED BY deliveries_not_delivered
         WHERE listener = @key AND state = ${held} AND state > 1 AND ${position} < @before ${limitBy('@limit')})`,
  );

  return ({ listenerId, before }, dueAt) => {
    const key = begin.get(listenerId);
    if (key === undefined) return undefined;
    changes.note();
    schedule.renew(key);
    return (limit) => {
      const ordered = isOrdered.get(key);
      if (ordered === undefined) return { changed: 0, isDone: true }; // it was paused again or removed between two parts
      const { changes: released } = release.run({ key, ordered, before, dueAt, limit });
      stateCounts.move(held, waiting, released);
      const isDone = released < limit;
      if (isDone) {
        end.get(listenerId);
        changes.note();
        schedule.renew(key);
      }
      return { changed: released, isDone };
    };
  };
}
