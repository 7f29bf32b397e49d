import type { LeasedDelivery } from '../../queue/leasing.js';
import { type Collections, type DeliveryRow, type ListenerRow, type MessageRow, messageKey } from '../collections.js';
import type { Statistics } from '../outcomes/statistics.js';
import type { CandidateDelivery } from './find-waiting.js';
import type { HeldDeliveries } from './held-deliveries.js';

/** A lease that is being taken: its token is written to the deliveries. `now` is in queue time, `expiresAt` in server time. */
export type NewLease = { token: string; now: Date; expiresAt: Date };

export type DeliveryLeases = {
  /** Leases the candidates that are still leasable, and returns their number; other leases have taken the rest. */
  take: (candidates: readonly CandidateDelivery[], newLease: NewLease) => Promise<number>;
  /**
   * Returns the leased deliveries with all data that an attempt needs. Omits and cancels deliveries behind a closed
   * gate, omits and holds those of a paused listener, and omits those that are out of order, whose leases expire.
   */
  read: (candidates: readonly CandidateDelivery[], newLease: NewLease) => Promise<readonly LeasedDelivery[]>;
};

export function openDeliveryLeases(
  { listeners, deliveries, messages }: Collections,
  statistics: Statistics,
  held: Pick<HeldDeliveries, 'noteListeners'>,
): DeliveryLeases {
  async function withdraw(
    rows: readonly DeliveryRow[],
    { token }: NewLease,
    to: { state: 'cancelled' | 'held'; lastError?: string },
  ): Promise<void> {
    if (rows.length === 0) return;
    const { modifiedCount } = await deliveries.updateMany(
      { ...byId(rows.map(({ _id }) => _id)), lease: token, state: 'waiting' },
      {
        $set: to,
        ...(to.state === 'cancelled' && { $currentDate: { endedAt: true } as const }),
        $unset: { dueAt: '', lease: '', leaseCheckAt: '', redeliveryRequestedAt: '' },
      },
    );
    statistics.addStates({ waiting: -modifiedCount, [to.state]: modifiedCount });
  }

  return {
    async take(candidates, { token, now, expiresAt }) {
      if (candidates.length === 0) return 0;
      const { modifiedCount } = await deliveries.updateMany(
        {
          ...byId(candidates.map(({ _id }) => _id)),
          state: 'waiting',
          lease: { $exists: false },
          leasableAt: { $lte: now },
        },
        { $set: { lease: token, leasableAt: expiresAt, leaseCheckAt: expiresAt } },
      );
      return modifiedCount;
    },

    async read(candidates, newLease) {
      if (candidates.length === 0) return [];
      // Read after a majority has acknowledged the lease, so the server was the primary when the call began: a gate
      // that is read as open was open then, even if another server was elected in between.
      const [rows, listenerRows, bodies] = await Promise.all([
        deliveries
          .find({ ...byId(candidates.map(({ _id }) => _id)), lease: newLease.token, state: 'waiting' })
          .project<Omit<DeliveryRow, 'log'>>({ log: 0 })
          .toArray(),
        listeners.find(byId(candidates.map(({ listenerId }) => listenerId))).toArray(),
        messages.find(byId(candidates.map(messageKey))).toArray(),
      ]);
      held.noteListeners(listenerRows);
      const rowOf = new Map(rows.map((row) => [row._id, row]));
      const listenerOf = new Map(listenerRows.map((listener) => [listener._id, listener]));
      const messageOf = new Map(bodies.map((message) => [message._id, message]));
      const leased: LeasedDelivery[] = [];
      const closed: DeliveryRow[] = [];
      const paused: DeliveryRow[] = [];
      const broken: DeliveryRow[] = [];
      for (const { _id } of candidates) {
        const row = rowOf.get(_id);
        if (!row) continue;
        const listener = listenerOf.get(row.listenerId);
        const message = messageOf.get(messageKey(row));
        if (listener?.closed) closed.push(row);
        else if (listener?.paused) paused.push(row);
        else if (!listener || !message) broken.push(row);
        else if (!isOutOfOrder(listener, newLease)) leased.push(...toLeased(row, listener, message));
      }
      await Promise.all([
        withdraw(closed, newLease, { state: 'cancelled' }),
        withdraw(paused, newLease, { state: 'held' }),
        withdraw(broken, newLease, { state: 'cancelled', lastError: 'message_lost' }),
      ]);
      return leased;
    },
  };
}

const byId = (ids: readonly string[]) => ({ _id: { $in: [...new Set(ids)] } });

/** The listener has just become ordered, and another lease may hold a delivery of it. */
const isOutOfOrder = ({ subscription, turn }: ListenerRow, { token }: NewLease): boolean =>
  subscription?.ordered === true && turn?.lease !== token;

/** Empty if the body is missing: a purge dropped it, and the concurrent enqueue is about to restore it. */
function toLeased(
  row: DeliveryRow,
  listener: ListenerRow,
  message: Omit<MessageRow, '_id'>,
): readonly LeasedDelivery[] {
  const { type, body, recordedAt, traceparent } = message;
  const { _id, webhookId, orgId, eventId, listenerId, replay, lease, attempts, enqueuedAt } = row;
  const { hookUrl, subscription, secret } = listener;
  if (lease === undefined || body === null) return [];
  if (hookUrl === undefined || !subscription || !secret) return [];
  return [
    {
      id: _id,
      webhookId,
      orgId,
      eventId,
      listenerId,
      lease,
      ...(replay !== undefined && { replay }),
      ...(traceparent !== undefined && { traceparent }),
      attempt: attempts + 1,
      enqueuedAt: enqueuedAt.getTime(),
      recordedAt,
      hookUrl,
      subscription,
      secret,
      eventType: type,
      body,
    },
  ];
}
