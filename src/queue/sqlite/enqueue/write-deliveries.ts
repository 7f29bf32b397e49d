import type Database from 'better-sqlite3';
import type { Message, NewDelivery } from '../../delivery.js';
import { isFlowEvent } from '../../policy/activity.js';
import { initialState, isFinal } from '../../policy/delivery-state.js';
import type { Replays } from '../listeners/gates.js';
import type { Listener } from '../listeners/listener-store.js';
import type { Activity } from '../outcomes/statistics.js';
import { pausedNumbers, stateNumbers } from '../schema.js';
import type { Shared } from '../shared.js';

/** `message`: undefined if the row existed before, as its stored body may differ. */
export type StoredMessage = {
  key: number;
  /** The first one, if the flow event was published again. */
  position: bigint;
  message?: Message;
};

export type Messages = {
  /** Adds the message, or the body that its row lacks; changes no existing body and no row of another position. */
  put: (message: Message, enqueuedAt: number, isReplay?: boolean) => StoredMessage;
  find: (orgId: string, eventId: string) => StoredMessage | undefined;
};

export function openMessages(database: Database.Database, activity: Pick<Activity, 'addEvent'>): Messages {
  const add = database.prepare(
    `INSERT INTO messages (org_id, event_id, type, position, body, recorded_at, published_id, traceparent, terms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const fill = database.prepare(
    'UPDATE messages SET body = ?, published_id = ?, traceparent = ? WHERE key = ? AND body IS NULL',
  );
  const find = database
    .prepare<[string, string], { key: bigint; position: bigint }>(
      'SELECT key, position FROM messages WHERE org_id = ? AND event_id = ?',
    )
    .safeIntegers(true);

  function findStored(orgId: string, eventId: string): StoredMessage | undefined {
    const row = find.get(orgId, eventId);
    return row && { key: Number(row.key), position: row.position };
  }

  return {
    put(message, enqueuedAt, isReplay = false) {
      const { orgId, eventId, type, position, body } = message;
      const { recordedAt = null, publishedId = null, traceparent = null, terms } = message;
      const { changes, lastInsertRowid } = add.run(
        orgId,
        eventId,
        type,
        position,
        body,
        recordedAt,
        publishedId,
        traceparent,
        terms === undefined ? null : JSON.stringify(terms),
      );
      if (changes > 0) {
        if (isFlowEvent(message, isReplay)) activity.addEvent(enqueuedAt);
        return { key: Number(lastInsertRowid), position, message };
      }
      const known = findStored(orgId, eventId) as StoredMessage;
      const mayFill = body !== null && (isReplay || known.position === position);
      const isFilled = mayFill && fill.run(body, publishedId, traceparent, known.key).changes > 0;
      return isFilled ? { ...known, message } : known;
    },
    find: findStored,
  };
}

export type DeliveryToWrite = {
  delivery: NewDelivery;
  listener: Listener;
  message: StoredMessage;
  enqueuedAt: number;
  /** The queue's time. */
  dueAt: number;
};

/** Inserts deliveries, and returns the number of new rows; existing rows are not changed. */
export function openWriteDeliveries(
  { database, fullyLeased, schedule, stateCounts }: Shared,
  replays: Pick<Replays, 'isCancelled'>,
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
    const firstDue = new Map<number, { listener: Listener; dueAt: number }>();
    let added = 0;

    for (const { delivery, listener, message, enqueuedAt, dueAt } of deliveries) {
      const { id, webhookId, replay } = delivery;
      const state = stateOf(delivery, listener);
      const due = state === 'waiting' ? dueAt : null;
      const endedAt = isFinal(state) ? enqueuedAt : null;
      const { changes: isNew, lastInsertRowid } = add.run(
        id,
        webhookId,
        message.key,
        listener.key,
        stateNumbers[state],
        due,
        enqueuedAt,
        endedAt,
        replay ?? null,
      );
      if (isNew === 0) continue;
      added += 1;
      stateCounts.add(stateNumbers[state], 1);
      if (!isFinal(state) && listener.subscription.ordered) lineUp.run(lastInsertRowid);
      if (state === 'waiting') {
        if (!firstDue.has(listener.key)) firstDue.set(listener.key, { listener, dueAt });
        fullyLeased.invalidate(listener.key);
      }
    }
    for (const [key, { listener, dueAt }] of firstDue) {
      if (listener.subscription.ordered) schedule.renew(key);
      else if (!listener.isScheduled) schedule.due(key, dueAt);
    }
    return added;
  };
}
