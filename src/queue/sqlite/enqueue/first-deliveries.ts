import type { OnRollback } from '../../../stores/sqlite/group-commit.js';
import type { Message } from '../../delivery.js';
import type { AttemptReport } from '../../delivery-log.js';
import { CheckpointLost, checkpointsOf, type FanOutBatch } from '../../fan-out-batch.js';
import { isUnrestrained } from '../../policy/listener-health.js';
import { type Facts, type FirstDelivery, messageName } from '../../stored-queue.js';
import type { Checkpoints } from '../checkpoints.js';
import type { Listener, ListenerStore } from '../listeners/listener-store.js';
import { toLine } from '../outcomes/write-attempt.js';
import { stateNumbers } from '../schema.js';
import type { Shared } from '../shared.js';
import type { DeliveryToWrite, Messages } from './write-deliveries.js';

type Parts = {
  checkpoints: Checkpoints;
  listenerStore: ListenerStore;
  messages: Messages;
  write: (deliveries: Iterable<DeliveryToWrite>) => number;
  firstDue: () => number;
};

export type FirstDeliveries = ReturnType<typeof openFirstDeliveries>;

/** Reads and writes for `FirstAttempts`. */
export function openFirstDeliveries(shared: Shared, { checkpoints, listenerStore, messages, write, firstDue }: Parts) {
  const { changes, database, fullyLeased, healths, leases, stateCounts } = shared;
  const insertSucceeded = database.prepare(
    `INSERT INTO deliveries (id, webhook_id, message, listener, state, attempts, enqueued_at, ended_at, last_status,
       last_error, last_attempt_at, log)
     VALUES (?, ?, ?, ?, ${stateNumbers.succeeded}, 1, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const findKey = database
    .prepare<[number, number], number>(
      "SELECT key FROM deliveries WHERE message = ? AND listener = ? AND ifnull(replay, '') = ''",
    )
    .pluck();

  /** Makes rows, with each message written once. */
  function rows(): (first: FirstDelivery) => Omit<DeliveryToWrite, 'delivery'> {
    const keys = new Map<FirstDelivery['message'], number>();
    return ({ delivery, message, enqueuedAt, dueAt }) => {
      const key = keys.get(message) ?? messages.put(message, enqueuedAt).key;
      keys.set(message, key);
      const listener = listenerStore.find(delivery.listenerId);
      return { listener, message: { key, position: message.position }, enqueuedAt, dueAt };
    };
  }

  /** Holds a delivery whose row may be that of another process, which has enqueued and redelivered it meanwhile. */
  function hold(
    { delivery: { id } }: FirstDelivery,
    message: number,
    listener: Listener,
    onRollback: OnRollback,
  ): void {
    const { key: listenerKey, subscription } = listener;
    const deliveryKey = findKey.get(message, listenerKey) as number;
    leases.hold({ id, deliveryKey, listenerKey, ordered: subscription.ordered, attempts: 0, requests: 0 });
    onRollback(() => leases.drop(id));
  }

  function isReady(listener: Listener, now: number): boolean {
    const { key, closed, paused, subscription, health, nextDue, keptBackSince } = listener;
    if (closed || paused || keptBackSince !== null) return false;
    if (subscription.ordered && (nextDue !== null || leases.countOf(key) > 0)) return false;
    const nothingFree = nextDue === null || nextDue > now || fullyLeased.untilFree(key, now) !== undefined;
    return nothingFree && isUnrestrained(healths.of(key, health), subscription.ratePerSecond ?? undefined);
  }

  function listenersOf(batch: FanOutBatch, now: number): Facts['listeners'] | undefined {
    const listeners = new Map<string, Listener & { isReady: boolean }>();
    for (const queued of batch.listeners) {
      const listener = listenerStore.findUpToDate(queued);
      if (!listener) return undefined;
      listeners.set(queued.listenerId, Object.assign(listener, { isReady: isReady(listener, now) }));
    }
    return listeners;
  }

  return {
    facts(batch: FanOutBatch, queueNow: number): Facts | undefined {
      if (changes.detectForeignWrites()) fullyLeased.invalidate();
      for (const { reader } of checkpointsOf(batch)) {
        if (checkpoints.of(reader) === undefined) throw new CheckpointLost(reader);
      }
      const listeners = listenersOf(batch, queueNow);
      const isKnown = ({ orgId, eventId }: Message) => messages.find(orgId, eventId) !== undefined;
      const known = new Set(batch.messages.filter(isKnown).map(messageName));
      return listeners && { listeners, known, firstDue: firstDue() };
    },
    /** Writes deliveries; those under way are leased. */
    write(first: readonly FirstDelivery[], onRollback: OnRollback): void {
      const rowOf = rows();
      const written = first.map((one) => ({ one, row: rowOf(one) }));
      write(written.map(({ one: { delivery }, row }) => ({ delivery, ...row })));
      for (const { one, row } of written) {
        if (one.isUnderWay) hold(one, row.message.key, row.listener, onRollback);
      }
    },
    /** Returns what writes a success, and returns the key of the listener; undefined if there is a row already: it is leased. */
    successes(onRollback: OnRollback) {
      const rowOf = rows();
      return (one: FirstDelivery, report: AttemptReport, now: number): number | undefined => {
        const { delivery, enqueuedAt } = one;
        const { listener, message } = rowOf(one);
        const { status = null, error = null, startedAt } = report;
        const attempt = [now, status, error, startedAt, toLine(report)];
        const row = [delivery.id, delivery.webhookId, message.key, listener.key, enqueuedAt, ...attempt];
        if (insertSucceeded.run(...row).changes === 0) {
          hold(one, message.key, listener, onRollback);
          return undefined;
        }
        stateCounts.add(stateNumbers.succeeded, 1);
        return listener.key;
      };
    },
  };
}
