import { insertNew } from '../../../stores/mongodb/bulk-writes.js';
import { emptyBatch } from '../../fan-out-batch.js';
import { isFlowEvent, noActivity } from '../../policy/activity.js';
import type { CallTime } from '../../policy/queue-clock.js';
import type { FirstDelivery } from '../../stored-queue.js';
import { type DeliveryRow, messageKey } from '../collections.js';
import type { Shared } from '../shared.js';
import type { WriteBatch } from './enqueue.js';
import type { Messages } from './put-messages.js';

type Parts = {
  bodies: Messages;
  writeBatch: WriteBatch;
};

export type FirstDeliveries = ReturnType<typeof openFirstDeliveries>;

/** Writes for `FirstAttempts`. */
export function openFirstDeliveries(
  { collections: { deliveries, listeners }, statistics, underWay }: Shared,
  { bodies, writeBatch }: Parts,
) {
  /** Leaves out those whose listener has no row: the database was lost, and with it what has ended since. */
  async function notLost(first: readonly FirstDelivery[]): Promise<readonly FirstDelivery[]> {
    if (first.length === 0) return first;
    const ids = first.map(({ delivery }) => delivery.listenerId);
    const rows = await listeners.find({ _id: { $in: ids } }, { projection: { _id: 1 } }).toArray();
    const isKnown = new Set(rows.map(({ _id }) => _id));
    return first.filter(({ delivery }) => isKnown.has(delivery.listenerId));
  }

  return {
    /** Writes deliveries as waiting, some of which are under way. */
    async write(all: readonly FirstDelivery[]): Promise<void> {
      const first = await notLost(all);
      if (first.length === 0) return;
      const times = new Map(first.map((one) => [one.delivery.id, timeOf(one)]));
      const time = [...times.values()].reduce((one, other) => (one.queueNow < other.queueNow ? other : one));
      const messages = messagesOf(first);
      const deliveries = first.map(({ delivery }) => delivery);
      const started = first.flatMap(({ delivery, isUnderWay }) => (isUnderWay ? [delivery] : []));
      for (const delivery of started) underWay.add({ ...delivery, _id: delivery.id, attempts: 0 }); // before a lease can find the rows
      try {
        await writeBatch({ ...emptyBatch, messages, deliveries }, time, ({ id }) => times.get(id) ?? time);
      } catch (error) {
        for (const { id } of started) underWay.remove(id);
        throw error;
      }
    },

    /** Inserts the rows, with the messages of their deliveries, and returns those that exist already. */
    async insertSucceeded(
      rows: readonly DeliveryRow[],
      first: readonly FirstDelivery[],
      now: number,
    ): Promise<readonly DeliveryRow[]> {
      if (rows.length === 0) return [];
      const messages = messagesOf(first);
      // After a crash, and in any order, the events after the checkpoint complete them.
      const [{ existing }, others] = await Promise.all([bodies.put(messages, false), insertNew(deliveries, rows)]);
      await bodies.keepBodies(existing);
      const isKnown = new Set(existing.map(({ _id }) => _id));
      const events = messages.filter((each) => !isKnown.has(messageKey(each)) && isFlowEvent(each, false));
      statistics.addActivity({ ...noActivity, events: events.length }, now);
      statistics.addStates({ succeeded: rows.length - others.length });
      return others;
    },
  };
}

const messagesOf = (first: readonly FirstDelivery[]) => [...new Set(first.map(({ message }) => message))];

const timeOf = ({ enqueuedAt, dueAt }: FirstDelivery): CallTime => ({ now: enqueuedAt, queueNow: dueAt });
