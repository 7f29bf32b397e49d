import type { LeasedDelivery } from '../../queue/delivery-queue.js';
import { type Collections, type DeliveryRow, type MessageRow, messageKey, type TargetRow } from '../collections.js';
import type { Tally } from '../tally.js';
import type { Found } from './find-waiting.js';

/** A lease that is being taken: its token is on the deliveries that it has got. `until` is the server's time. */
export type Claim = { readonly token: string; readonly now: Date; readonly until: Date };

export type Claims = {
  /** Returns how many of those that were found it has got: the others were taken by somebody else meanwhile. */
  readonly take: (found: readonly Found[], claim: Claim) => Promise<number>;
  /**
   * What it has got, with all that a post needs. What turns out to be behind a closed gate is cancelled, what is of a paused
   * hook held, and both are left out. So is what may be leased later only: its lease runs out.
   */
  readonly read: (found: readonly Found[], claim: Claim) => Promise<readonly LeasedDelivery[]>;
};

export function openClaims({ targets, deliveries, messages }: Collections, tally: Tally): Claims {
  async function withdraw(
    rows: readonly DeliveryRow[],
    { token, now }: Claim,
    to: { readonly state: 'cancelled' | 'held'; readonly lastError?: string },
  ): Promise<void> {
    if (rows.length === 0) return;
    const { modifiedCount } = await deliveries.updateMany(
      { ...byId(rows.map(({ _id }) => _id)), lease: token, state: 'waiting' },
      {
        $set: { ...to, ...(to.state === 'cancelled' && { endedAt: now }) },
        $unset: { dueAt: '', lease: '', recheckAt: '', again: '' },
      },
    );
    await tally.add({ waiting: -modifiedCount, [to.state]: modifiedCount });
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
        deliveries
          .find({ ...byId(found.map(({ _id }) => _id)), lease: claim.token, state: 'waiting' })
          .project<Omit<DeliveryRow, 'log'>>({ log: 0 })
          .toArray(),
        targets.find(byId(found.map(({ listenerId }) => listenerId))).toArray(),
        messages.find(byId(found.map(messageKey))).toArray(),
      ]);
      const rowOf = new Map(rows.map((row) => [row._id, row]));
      const hookOf = new Map(hooks.map((hook) => [hook._id, hook]));
      const messageOf = new Map(bodies.map((message) => [message._id, message]));
      const leased: LeasedDelivery[] = [];
      const closed: DeliveryRow[] = [];
      const paused: DeliveryRow[] = [];
      const broken: DeliveryRow[] = [];
      for (const { _id } of found) {
        const row = rowOf.get(_id);
        if (!row) continue;
        const hook = hookOf.get(row.listenerId);
        const message = messageOf.get(messageKey(row));
        if (hook?.closed) closed.push(row);
        else if (hook?.paused) paused.push(row);
        else if (!hook || !message) broken.push(row);
        else if (!isOutOfTurn(hook, claim)) leased.push(...toLeased(row, hook, message));
      }
      await Promise.all([
        withdraw(closed, claim, { state: 'cancelled' }),
        withdraw(paused, claim, { state: 'held' }),
        withdraw(broken, claim, { state: 'cancelled', lastError: 'message_lost' }),
      ]);
      return leased;
    },
  };
}

const byId = (ids: readonly string[]) => ({ _id: { $in: [...new Set(ids)] } });

/** It has become an ordered one only just now, and somebody else may have a delivery of it under lease. */
const isOutOfTurn = ({ ordered, turn }: TargetRow, { token }: Claim): boolean =>
  ordered === true && turn?.lease !== token;

/** None where a body is missing: a purge was quicker than whoever enqueues, who is about to put it back. */
function toLeased(
  row: DeliveryRow,
  hook: TargetRow,
  { type, body, recordedAt }: MessageRow,
): readonly LeasedDelivery[] {
  const { _id, webhookId, orgId, eventId, listenerId, replay, lease, attempts, enqueuedAt } = row;
  const { hookUrl, keyGeneration, secretVersion, previousSecret, ordered = false } = hook;
  if (lease === undefined || body === null) return [];
  if (hookUrl === undefined || keyGeneration === undefined || secretVersion === undefined) return [];
  return [
    {
      id: _id,
      ...{ webhookId, orgId, eventId, listenerId, lease, ...(replay !== undefined && { replay }) },
      ...{ attempt: attempts + 1, enqueuedAt: enqueuedAt.getTime(), recordedAt },
      ...{ hookUrl, keyGeneration, secretVersion, ordered, ...(previousSecret && { previousSecret }) },
      ...{ eventType: type, body },
    },
  ];
}
