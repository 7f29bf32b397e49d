import type { LeasedDelivery } from '../delivery-queue.js';
import { type Collections, type DeliveryRow, type MessageRow, messageKey, type TargetRow } from './collections.js';
import type { Found } from './find-due.js';
import type { Tally } from './tally.js';

/** A lease that is being taken: its token is on the deliveries that it has got. */
export type Claim = { readonly token: string; readonly now: Date; readonly until: Date };

export type Claims = {
  /** Returns how many of those that were found it has got: the others were taken by somebody else meanwhile. */
  readonly take: (found: readonly Found[], claim: Claim) => Promise<number>;
  /** What it has got, with all that a post needs. What turns out to be behind a closed gate is cancelled and left out. */
  readonly read: (found: readonly Found[], claim: Claim) => Promise<readonly LeasedDelivery[]>;
};

export function openClaims({ targets, deliveries, messages }: Collections, tally: Tally): Claims {
  async function cancel(rows: readonly DeliveryRow[], { token }: Claim, lastError?: string): Promise<void> {
    if (rows.length === 0) return;
    const { modifiedCount } = await deliveries.updateMany(
      { ...byId(rows.map(({ _id }) => _id)), lease: token, state: 'waiting' },
      {
        $set: { state: 'cancelled', ...(lastError && { lastError }) },
        $unset: { dueAt: '', lease: '', recheckAt: '' },
      },
    );
    await tally.add({ waiting: -modifiedCount, cancelled: modifiedCount });
  }

  return {
    async take(found, { token, now, until }) {
      if (found.length === 0) return 0;
      const { modifiedCount } = await deliveries.updateMany(
        { ...byId(found.map(({ _id }) => _id)), state: 'waiting', lease: { $exists: false }, freeAt: { $lte: now } },
        { $set: { lease: token, freeAt: until, recheckAt: until } },
      );
      return modifiedCount;
    },

    async read(found, claim) {
      if (found.length === 0) return [];
      // Read after a majority has acknowledged the claim, so from a server that was the primary when it was asked to
      // lease: a gate that it shows open was open then, also where another server took over in between.
      const [rows, hooks, bodies] = await Promise.all([
        deliveries.find({ ...byId(found.map(({ _id }) => _id)), lease: claim.token, state: 'waiting' }).toArray(),
        targets.find(byId(found.map(({ listenerId }) => listenerId))).toArray(),
        messages.find(byId(found.map(messageKey))).toArray(),
      ]);
      const rowOf = new Map(rows.map((row) => [row._id, row]));
      const hookOf = new Map(hooks.map((hook) => [hook._id, hook]));
      const messageOf = new Map(bodies.map((message) => [message._id, message]));
      const leased: LeasedDelivery[] = [];
      const closed: DeliveryRow[] = [];
      const broken: DeliveryRow[] = [];
      for (const { _id } of found) {
        const row = rowOf.get(_id);
        if (!row) continue;
        const hook = hookOf.get(row.listenerId);
        const delivery = toLeased(row, hook, messageOf.get(messageKey(row)));
        if (hook?.closed) closed.push(row);
        else if (delivery) leased.push(delivery);
        else broken.push(row);
      }
      await Promise.all([cancel(closed, claim), cancel(broken, claim, 'message_lost')]);
      return leased;
    },
  };
}

const byId = (ids: readonly string[]) => ({ _id: { $in: [...new Set(ids)] } });

/** Undefined where the database has lost what the delivery needs. */
function toLeased(row: DeliveryRow, hook?: TargetRow, message?: MessageRow): LeasedDelivery | undefined {
  const { _id, webhookId, orgId, eventId, listenerId, lease, attempts, enqueuedAt } = row;
  const { hookUrl, keyGeneration, secretVersion } = hook ?? {};
  if (!message || lease === undefined) return undefined;
  if (hookUrl === undefined || keyGeneration === undefined || secretVersion === undefined) return undefined;
  return {
    ...{ id: _id, webhookId, orgId, eventId, listenerId, lease },
    ...{ attempt: attempts + 1, enqueuedAt: enqueuedAt.getTime() },
    ...{ hookUrl, keyGeneration, secretVersion, eventType: message.type, body: message.body },
  };
}
