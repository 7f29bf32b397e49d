import { asReadOf } from '../../leasing.js';
import { type ListenerRow, type MessageRow, messageKey } from '../collections.js';
import type { StoredGates } from '../listeners/gates.js';
import { openReadListeners } from '../listeners/read-listeners.js';
import type { Shared } from '../shared.js';
import type { ListenerCandidates } from './find-due.js';
import type { CandidateDelivery } from './find-waiting.js';
import type { ReadRow } from './rows-ahead.js';

/** Deliveries of a listener. `stored`: the listener as it was read with them. `ahead`: the rows that follow an ordered one. */
type Read = {
  listener: ListenerCandidates['listener'];
  stored: ListenerRow;
  leased: readonly ReadRow[];
  ahead: readonly ReadRow[];
};

/** Reads deliveries with all data that their attempts need. Those behind a closed gate are cancelled, those of a paused listener held. */
export type ReadLeased = (candidates: readonly ListenerCandidates[]) => Promise<readonly Read[]>;

export function openReadLeased(shared: Shared, gates: Pick<StoredGates, 'withdrawBehind'>): ReadLeased {
  const {
    collections: { deliveries, messages },
    statistics,
  } = shared;
  const { read: readListeners } = openReadListeners(shared);

  async function cancelLost(rows: readonly CandidateDelivery[]): Promise<void> {
    if (rows.length === 0) return;
    const { modifiedCount } = await deliveries.updateMany(
      { _id: { $in: rows.map(({ _id }) => _id).sort() }, state: 'waiting' },
      {
        $set: { state: 'cancelled', lastError: 'message_lost' },
        $currentDate: { endedAt: true },
        $unset: { dueAt: '', unannounced: '' },
      },
    );
    statistics.addStates({ waiting: -modifiedCount, cancelled: modifiedCount });
  }

  return async (candidates) => {
    const withDue = candidates.filter(({ due }) => due.length > 0);
    if (withDue.length === 0) return [];
    const keys = new Set(withDue.flatMap(({ due, ahead }) => [...due, ...ahead].map(messageKey)));
    const [listenerOf, bodies] = await Promise.all([
      readListeners(withDue.map(({ listener }) => listener._id)),
      messages.find({ _id: { $in: [...keys] } }).toArray(),
    ]);
    const messageOf = new Map(bodies.map((message) => [message._id, message]));
    const found: Read[] = [];
    const lost: CandidateDelivery[] = [];
    const restrained: string[] = [];
    for (const { listener, due, ahead } of withDue) {
      const stored = listenerOf.get(listener._id);
      if (!stored || stored.closed || stored.paused) restrained.push(listener._id);
      else if (isOrdered(stored) === isOrdered(listener)) {
        const read = (row: CandidateDelivery) => toRead(row, stored, messageOf.get(messageKey(row)));
        lost.push(...due.filter((row) => !messageOf.has(messageKey(row))));
        const following = ahead.map(read);
        const end = following.findIndex(({ length }) => length === 0);
        found.push({
          listener,
          stored,
          leased: due.flatMap(read),
          ahead: (end === -1 ? following : following.slice(0, end)).flat(),
        });
      } // else in the next round
    }
    await gates.withdrawBehind(restrained);
    await cancelLost(lost);
    return found;
  };
}

const isOrdered = ({ subscription }: Pick<ListenerRow, 'subscription'>): boolean => subscription?.ordered === true;

/** Empty if the message or its body is missing: a purge dropped it, and the concurrent enqueue is about to restore it. */
function toRead(
  row: CandidateDelivery,
  listener: ListenerRow,
  message: Omit<MessageRow, '_id'> | undefined,
): readonly ReadRow[] {
  if (!message) return [];
  const { type, body, recordedAt, traceparent } = message;
  const { _id, webhookId, orgId, eventId, listenerId, replay, attempts, requests = 0, enqueuedAt } = row;
  const { hookUrl, subscription, secret } = listener;
  if (body === null || hookUrl === undefined || !subscription || !secret) return [];
  const delivery = {
    id: _id,
    webhookId,
    orgId,
    eventId,
    listenerId,
    asRead: asReadOf({ attempts, requests }),
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
  };
  return [{ row, delivery }];
}
