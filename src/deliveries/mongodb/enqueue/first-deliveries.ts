import { insertNew } from '../../../stores/mongodb/bulk-writes.js';
import { emptyBatch } from '../../queue/leasing.js';
import { isFlowEvent, noActivity } from '../../queue/policy/activity.js';
import type { CallTime } from '../../queue/policy/queue-clock.js';
import type { FirstDelivery } from '../../queue/stored-queue.js';
import { type DeliveryRow, messageKey } from '../collections.js';
import type { BeginLease } from '../lease/begin-lease.js';
import type { Shared } from '../shared.js';
import type { WriteBatch } from './enqueue.js';
import type { Messages } from './put-messages.js';

/** Lease of a row that is under way; its holder's heartbeat ends it earlier. */
const leaseMs = 60_000;

type Parts = {
  beginLease: BeginLease;
  bodies: Messages;
  writeBatch: WriteBatch;
};

export type FirstDeliveries = ReturnType<typeof openFirstDeliveries>;

/** Writes for `FirstAttempts`. */
export function openFirstDeliveries(
  { collections: { deliveries, listeners }, statistics }: Shared,
  { beginLease, bodies, writeBatch }: Parts,
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
    /** Writes deliveries as waiting; those under way are leased by this instance. */
    async write(all: readonly FirstDelivery[]): Promise<void> {
      const first = await notLost(all);
      if (first.length === 0) return;
      const times = new Map(first.map((one) => [one.delivery.id, timeOf(one)]));
      const time = [...times.values()].reduce((one, other) => (one.queueNow < other.queueNow ? other : one));
      const underWay = new Set(first.flatMap(({ delivery, isUnderWay }) => (isUnderWay ? [delivery.id] : [])));
      const begun = underWay.size > 0 ? await beginLease({ now: time.queueNow, leaseMs }) : undefined;
      try {
        const { leased } = await writeBatch(
          { ...emptyBatch, messages: messagesOf(first), deliveries: first.map(({ delivery }) => delivery) },
          {
            time,
            timeOf: ({ id }) => times.get(id) ?? time,
            lease: begun && { token: begun.token, expiresAt: begun.expiresAt, ids: underWay },
          },
        );
        begun?.hold(leased.map(({ _id: id, orgId, listenerId }) => ({ id, orgId, listenerId, lease: begun.token })));
      } catch (error) {
        begun?.abandon();
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
      const { existing } = await bodies.put(messages, false);
      const others = await insertNew(deliveries, rows);
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
