import { randomUUID } from 'node:crypto';
import { inBatches } from '../../../kernel/in-batches.js';
import { deliveryStates } from '../../delivery.js';
import { type ForgetOf, type Forgotten, forgottenAnew } from '../../keeping.js';
import { type Collections, type DeliveryRow, type MessageRow, messageKey } from '../collections.js';
import type { Shared } from '../shared.js';

/** Maximum number of messages that are checked concurrently. */
const concurrency = 16;

type Named = Pick<MessageRow, '_id' | 'orgId' | 'eventId' | 'position'>;

/** Finds those of the messages that no delivery needs. */
export const unneededMessages =
  ({ deliveries }: Pick<Collections, 'deliveries'>) =>
  async <Message extends Named>(messages: readonly Message[]): Promise<readonly Message[]> => {
    const needed = await inBatches(
      messages,
      async ({ orgId, eventId, position }) => {
        const delivery = { orgId, state: { $in: deliveryStates }, position, eventId };
        return (await deliveries.findOne(delivery, { projection: { _id: 1 } })) !== null;
      },
      concurrency,
    );
    return messages.filter((_, index) => !needed[index]);
  };

type Ended = Pick<DeliveryRow, '_id' | 'orgId' | 'eventId' | 'state'>;
type Leaving = Pick<MessageRow, '_id' | 'orgId' | 'eventId' | 'position'>;

/** Maximum number of rounds: a message that another purge or an enqueue has changed meanwhile is checked again. */
const maxRounds = 5;

/**
 * Deletes deliveries that ended before a time, and the bodies that no delivery needs. Bodies are marked before the
 * deliveries are deleted, so that the next purge completes an interrupted one, and dropped only by compare and set on
 * that mark: an enqueue of another delivery removes it.
 */
export function openPurge({
  collections: { messages, deliveries },
  statistics,
}: Shared): (step: ForgetOf<'deliveries'>) => Promise<Forgotten> {
  const findUnneeded = unneededMessages({ deliveries });
  const mark = (token: string, ids: readonly string[]) =>
    messages.updateMany({ _id: { $in: ids }, body: { $ne: null } }, { $set: { leaving: token } });

  async function forget(ended: readonly Ended[], before: Date): Promise<number> {
    let forgotten = 0;
    for (const state of new Set(ended.map((row) => row.state))) {
      const ids = ended.flatMap((row) => (row.state === state ? [row._id] : []));
      const { deletedCount } = await deliveries.deleteMany({ _id: { $in: ids }, state, endedAt: { $lt: before } });
      statistics.addStates({ [state]: -deletedCount });
      forgotten += deletedCount;
    }
    return forgotten;
  }

  /** Drops the bodies that no delivery needs any more. */
  async function dropBodies(token: string, ids: readonly string[]): Promise<void> {
    for (let round = 1; round <= maxRounds; round += 1) {
      await mark(token, ids);
      const leaving = await messages
        .find({ _id: { $in: ids }, leaving: token })
        .project<Leaving>({ orgId: 1, eventId: 1, position: 1 })
        .toArray();
      if (leaving.length === 0) return;
      const unneeded = (await findUnneeded(leaving)).map(({ _id }) => _id);
      const dropped = new Set(unneeded);
      const kept = leaving.flatMap(({ _id }) => (dropped.has(_id) ? [] : [_id]));
      await messages.updateMany({ _id: { $in: kept }, leaving: token }, { $unset: { leaving: '' } });
      const { matchedCount } = await messages.updateMany(
        { _id: { $in: unneeded }, leaving: token },
        { $set: { body: null }, $unset: { traceparent: '', leaving: '' } },
      );
      if (matchedCount === unneeded.length) return;
    }
  }

  return async ({ before, limit }) => {
    const token = randomUUID();
    const left = messages
      .find({ leaving: { $gt: '' } })
      .project<{ _id: string }>({ _id: 1 })
      .limit(limit);
    await dropBodies(
      token,
      (await left.toArray()).map(({ _id }) => _id),
    );

    const ended = await deliveries
      .find({ endedAt: { $lt: new Date(before) } })
      .project<Ended>({ orgId: 1, eventId: 1, state: 1 })
      .sort({ endedAt: 1 })
      .limit(limit)
      .toArray();
    const ids = [...new Set(ended.map(messageKey))];
    await mark(token, ids);
    const forgotten = await forget(ended, new Date(before));
    await dropBodies(token, ids);
    return forgottenAnew(forgotten, forgotten === 0);
  };
}
