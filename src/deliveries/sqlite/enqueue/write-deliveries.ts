import type Database from 'better-sqlite3';
import type { NewDelivery } from '../../queue/delivery.js';
import { initialState, isFinal } from '../../queue/policy/delivery-state.js';
import type { FullyLeasedListeners } from '../lease/fully-leased-listeners.js';
import type { ListenerSchedule } from '../lease/listener-schedule.js';
import type { Listener } from '../listeners/listener-store.js';
import type { Replays } from '../listeners/replays.js';
import { pausedNumbers, stateNumbers } from '../schema.js';
import { type Tally, TallyChanges } from '../tally.js';
import type { StoredMessage } from './messages.js';

type Parts = {
  readonly fullyLeased: FullyLeasedListeners;
  readonly replays: Replays;
  readonly schedule: ListenerSchedule;
  readonly tally: Tally;
};

/** A delivery with the current row of its listener and the row of its message. */
export type DeliveryToWrite = {
  readonly delivery: NewDelivery;
  readonly listener: Listener;
  readonly message: StoredMessage;
  /** The caller's time. */
  readonly enqueuedAt: number;
  /** The queue's time. */
  readonly dueAt: number;
};

/**
 * Inserts deliveries without recorded attempts; within a transaction that the caller has begun. Existing rows are not
 * changed. Returns the number of new rows.
 */
export function openWriteDeliveries(
  database: Database.Database,
  { fullyLeased, replays, schedule, tally }: Parts,
): (deliveries: Iterable<DeliveryToWrite>) => number {
  const add = database.prepare(
    `INSERT INTO deliveries (id, webhook_id, message, listener, state, due_at, enqueued_at, ended_at, replay)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const lineUp = database.prepare(
    `UPDATE deliveries SET turn = (SELECT position FROM messages WHERE messages.key = deliveries.message)
     WHERE key = ?`,
  );

  function stateOf(delivery: NewDelivery, { closed, paused }: Listener) {
    const { replay } = delivery;
    const replayCancelled = replay !== undefined && replays.isCancelled(replay);
    return initialState(delivery, { closed: closed === 1, paused: paused === pausedNumbers.paused, replayCancelled });
  }

  return (deliveries) => {
    const firstDue = new Map<number, { readonly listener: Listener; readonly dueAt: number }>();
    const changes = new TallyChanges();
    let added = 0;

    for (const { delivery, listener, message, enqueuedAt, dueAt } of deliveries) {
      const { id, webhookId, replay } = delivery;
      const state = stateOf(delivery, listener);
      const due = state === 'waiting' ? dueAt : null;
      const endedAt = isFinal(state) ? enqueuedAt : null;
      const { changes: isNew, lastInsertRowid } = add.run(
        ...[id, webhookId, message.key, listener.key, stateNumbers[state], due, enqueuedAt, endedAt, replay ?? null],
      );
      if (isNew === 0) continue;
      added += 1;
      changes.add(stateNumbers[state], 1);
      if (listener.ordered) lineUp.run(lastInsertRowid);
      if (state === 'waiting') {
        if (!firstDue.has(listener.key)) firstDue.set(listener.key, { listener, dueAt });
        fullyLeased.invalidate(listener.key);
      }
    }
    for (const [key, { listener, dueAt }] of firstDue) {
      if (listener.ordered) schedule.renew(key);
      else if (!listener.isScheduled) schedule.due(key, dueAt);
    }
    changes.writeTo(tally);
    return added;
  };
}
