import type Database from 'better-sqlite3';
import type { NewDelivery } from '../../queue/delivery.js';
import type { OnRollback } from '../grouped-calls.js';
import type { HookSchedule } from '../lease/hook-schedule.js';
import { untriedDelivery } from '../lease/leased-delivery.js';
import type { Leases } from '../lease/leases.js';
import type { Looks, WaitingDelivery } from '../lease/looks.js';
import type { Replays } from '../registrations/replays.js';
import type { Hook } from '../registrations/targets.js';
import { type StateNumber, stateNumbers } from '../schema.js';
import { type Tally, TallyChanges } from '../tally.js';
import type { StoredMessage } from './messages.js';
import type { UnwrittenLease } from './unwritten.js';

const { waiting, cancelled, held } = stateNumbers;

type Parts = {
  readonly leases: Leases;
  readonly looks: Looks;
  readonly replays: Replays;
  readonly schedule: HookSchedule;
  readonly tally: Tally;
};

/** A delivery with what its row names: the hook as it is now. */
export type DeliveryToWrite = {
  readonly delivery: NewDelivery;
  readonly hook: Hook;
  readonly message: StoredMessage;
  /** The caller's time. */
  readonly enqueuedAt: number;
  /** The queue's time. */
  readonly dueAt: number;
  /** Somebody works on it already. */
  readonly lease?: UnwrittenLease | undefined;
};

type Known = { readonly key: number; readonly dueAt: number | null };

/**
 * Writes deliveries that no attempt has been recorded of; within a transaction that the caller has begun. Those that are
 * there stay what they are. Returns how many are new.
 */
export function deliveryWriter(
  database: Database.Database,
  { leases, looks, replays, schedule, tally }: Parts,
): (deliveries: Iterable<DeliveryToWrite>, onRollback: OnRollback) => number {
  const add = database.prepare(
    `INSERT INTO deliveries (id, webhook_id, message, listener, state, due_at, enqueued_at, ended_at, replay)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const known = database.prepare<[number, number], Known>(
    "SELECT key, due_at AS dueAt FROM deliveries WHERE message = ? AND listener = ? AND ifnull(replay, '') = ''",
  );
  const lineUp = database.prepare(
    `UPDATE deliveries SET turn = (SELECT position FROM messages WHERE messages.key = deliveries.message)
     WHERE key = ?`,
  );

  function stateOf({ replay, held: isHeld }: NewDelivery, { closed, paused }: Hook): StateNumber {
    if (closed || (replay !== undefined && replays.isCancelled(replay))) return cancelled;
    return paused || isHeld ? held : waiting;
  }

  return (deliveries, onRollback) => {
    const firstDue = new Map<number, { readonly hook: Hook; readonly dueAt: number }>();
    const changes = new TallyChanges();
    let added = 0;

    function holdLease({ delivery: { id }, hook, dueAt }: DeliveryToWrite, key: number, lease: UnwrittenLease): void {
      looks.forget(hook.key); // when its leases end has to be looked up
      const ordered = hook.ordered === 1;
      leases.hold({ id, delivery: key, listener: hook.key, ordered, dueAt, again: false, ...lease });
      onRollback(() => leases.drop(id));
    }

    for (const one of deliveries) {
      const { delivery, hook, message, enqueuedAt, dueAt, lease } = one;
      const { id, webhookId, replay } = delivery;
      const state = stateOf(delivery, hook);
      const due = state === waiting ? dueAt : null;
      const endedAt = state === cancelled ? enqueuedAt : null;
      const { changes: isNew, lastInsertRowid } = add.run(
        ...[id, webhookId, message.key, hook.key, state, due, enqueuedAt, endedAt, replay ?? null],
      );
      if (isNew === 0) {
        if (lease) {
          const { key, ...row } = known.get(message.key, hook.key) as Known; // another process has handed it over
          holdLease({ ...one, dueAt: row.dueAt ?? dueAt }, key, lease);
        }
        continue;
      }
      const key = Number(lastInsertRowid);
      added += 1;
      changes.add(state, 1);
      if (hook.ordered) lineUp.run(key);
      if (state === waiting) {
        if (!firstDue.has(hook.key)) {
          looks.expect(hook, dueAt, onRollback);
          firstDue.set(hook.key, { hook, dueAt });
        }
        looks.cameDue(hook.key, key, waitingDelivery(one), dueAt);
      }
      if (lease) holdLease(one, key, lease);
    }
    for (const [key, { hook, dueAt }] of firstDue) {
      if (hook.ordered) schedule.renew(key);
      else if (!hook.isScheduled) schedule.due(key, dueAt);
    }
    changes.writeTo(tally);
    return added;
  };
}

/** Undefined where its body is not at hand. */
function waitingDelivery(toWrite: DeliveryToWrite): WaitingDelivery | undefined {
  const { delivery, enqueuedAt, dueAt } = toWrite;
  const { message } = toWrite.message;
  if (!message || message.body === null) return undefined;
  const { type, body, recordedAt } = message;
  return { ...untriedDelivery(delivery, { type, body, recordedAt }, enqueuedAt), dueAt };
}
