import type Database from 'better-sqlite3';
import type { OnRollback } from '../../../stores/sqlite/group-commit.js';
import type { NewDelivery } from '../../queue/delivery.js';
import { initialState, isFinal } from '../../queue/policy/delivery-state.js';
import type { FullyLeasedHooks } from '../lease/fully-leased-hooks.js';
import type { HookSchedule } from '../lease/hook-schedule.js';
import type { Leases } from '../lease/leases.js';
import type { Hook } from '../registrations/hook-store.js';
import type { Replays } from '../registrations/replays.js';
import { pausedNumbers, stateNumbers } from '../schema.js';
import { type Tally, TallyChanges } from '../tally.js';
import type { StoredMessage } from './messages.js';
import type { BufferedLease } from './write-behind-buffer.js';

type Parts = {
  readonly leases: Leases;
  readonly fullyLeased: FullyLeasedHooks;
  readonly replays: Replays;
  readonly schedule: HookSchedule;
  readonly tally: Tally;
};

/** A delivery with the current row of its hook and the row of its message. */
export type DeliveryToWrite = {
  readonly delivery: NewDelivery;
  readonly hook: Hook;
  readonly message: StoredMessage;
  /** The caller's time. */
  readonly enqueuedAt: number;
  /** The queue's time. */
  readonly dueAt: number;
  /** Set if it is leased already. */
  readonly lease?: BufferedLease | undefined;
};

type Known = { readonly key: number; readonly dueAt: number | null };

/**
 * Inserts deliveries without recorded attempts; within a transaction that the caller has begun. Existing rows are not
 * changed. Returns the number of new rows.
 */
export function deliveryWriter(
  database: Database.Database,
  { leases, fullyLeased, replays, schedule, tally }: Parts,
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

  function stateOf(delivery: NewDelivery, { closed, paused }: Hook) {
    const { replay } = delivery;
    const replayCancelled = replay !== undefined && replays.isCancelled(replay);
    return initialState(delivery, { closed: closed === 1, paused: paused === pausedNumbers.paused, replayCancelled });
  }

  return (deliveries, onRollback) => {
    const firstDue = new Map<number, { readonly hook: Hook; readonly dueAt: number }>();
    const changes = new TallyChanges();
    let added = 0;

    function holdLease({ delivery: { id }, hook, dueAt }: DeliveryToWrite, key: number, lease: BufferedLease): void {
      fullyLeased.invalidate(hook.key); // the lease expiry has to be read
      const ordered = hook.ordered === 1;
      leases.hold({ id, deliveryKey: key, hookKey: hook.key, ordered, dueAt, redeliverAfterLease: false, ...lease });
      onRollback(() => leases.drop(id));
    }

    for (const one of deliveries) {
      const { delivery, hook, message, enqueuedAt, dueAt, lease } = one;
      const { id, webhookId, replay } = delivery;
      const state = stateOf(delivery, hook);
      const due = state === 'waiting' ? dueAt : null;
      const endedAt = isFinal(state) ? enqueuedAt : null;
      const { changes: isNew, lastInsertRowid } = add.run(
        ...[id, webhookId, message.key, hook.key, stateNumbers[state], due, enqueuedAt, endedAt, replay ?? null],
      );
      if (isNew === 0) {
        if (lease) {
          const { key, ...row } = known.get(message.key, hook.key) as Known; // another process has enqueued it
          holdLease({ ...one, dueAt: row.dueAt ?? dueAt }, key, lease);
        }
        continue;
      }
      const key = Number(lastInsertRowid);
      added += 1;
      changes.add(stateNumbers[state], 1);
      if (hook.ordered) lineUp.run(key);
      if (state === 'waiting') {
        if (!firstDue.has(hook.key)) firstDue.set(hook.key, { hook, dueAt });
        fullyLeased.invalidate(hook.key);
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
