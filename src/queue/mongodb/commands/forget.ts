import { randomUUID } from 'node:crypto';
import { insertNew } from '../../../stores/mongodb/bulk-writes.js';
import { deliveryStates } from '../../delivery.js';
import { type ForgetOf, type Forgotten, forgottenAnew, type QueueKeeping } from '../../keeping.js';
import { forgottenReader } from '../../reader-positions.js';
import { type Collections, type DeliveryRow, type MessageRow, messageKey } from '../collections.js';
import { moveHalfHours } from '../outcomes/attempts-by-time.js';
import type { Shared } from '../shared.js';
import { openPurge, unneededMessages } from './purge.js';

type Old = Pick<MessageRow, '_id' | 'orgId' | 'eventId' | 'position'> & { recordedAt: number };

/**
 * Deletes old flow events that have no deliveries. They are marked before the check, and deleted only by compare and set on
 * that mark: an enqueue of another delivery removes it, and inserts the message again if that is gone.
 */
function openForgetPublished({
  messages,
  deliveries,
  checkpoints,
}: Collections): (step: ForgetOf<'flowEvents'>) => Promise<Forgotten> {
  const unneeded = unneededMessages({ deliveries });

  /** The event of a test delivery is not recorded: its time counts from here. */
  async function noteTimes(now: number, limit: number): Promise<void> {
    const rows = await messages
      .find({ recordedAt: null as never })
      .project<{ _id: string }>({ _id: 1 })
      .limit(limit)
      .toArray();
    if (rows.length === 0) return;
    const unknown = { _id: { $in: rows.map(({ _id }) => _id) }, recordedAt: null as never }; // missing, or null
    await messages.updateMany(unknown, { $set: { recordedAt: now } });
  }

  const find = (before: number, limit: number, after: string | undefined) => {
    const [at, id] = (after === undefined ? [Number.NEGATIVE_INFINITY, ''] : JSON.parse(after)) as [number, string];
    return messages
      .find({ recordedAt: { $gte: at, $lt: before }, $or: [{ recordedAt: { $gt: at } }, { _id: { $gt: id } }] })
      .project<Old>({ orgId: 1, eventId: 1, position: 1, recordedAt: 1 })
      .sort({ recordedAt: 1, _id: 1 })
      .limit(limit)
      .toArray();
  };

  /** Raises the position before rows are deleted, so that no reader relies on the queue for events that it does not know any more. */
  async function raise(position: bigint): Promise<void> {
    const { matchedCount } = await checkpoints.updateOne({ _id: forgottenReader }, { $max: { position } });
    if (matchedCount === 1) return;
    const row = { _id: forgottenReader, position, term: 0n };
    if ((await insertNew(checkpoints, [row])).length > 0) await raise(position);
  }

  return async ({ before, now, limit, after }) => {
    if (after === undefined) await noteTimes(now, limit);
    const old = await find(before, limit, after);
    const last = old.length === limit ? old.at(-1) : undefined;
    const next = last && JSON.stringify([last.recordedAt, last._id]);
    if (old.length === 0) return { forgotten: 0, next };
    const forgetting = randomUUID();
    await messages.updateMany({ _id: { $in: old.map(({ _id }) => _id) } }, { $set: { forgetting } });
    const leaving = await unneeded(old);
    if (leaving.length > 0) {
      await raise(leaving.reduce((highest, { position }) => (position > highest ? position : highest), -1n));
    }
    const { deletedCount } = await messages.deleteMany({ _id: { $in: leaving.map(({ _id }) => _id) }, forgetting });
    await messages.updateMany({ _id: { $in: old.map(({ _id }) => _id) }, forgetting }, { $unset: { forgetting: '' } });
    return { forgotten: deletedCount, next };
  };
}

const openForgetTerms =
  ({ messages }: Pick<Collections, 'messages'>) =>
  async ({ orgId, eventIds }: ForgetOf<'terms'>): Promise<Forgotten> => {
    const ids = eventIds.map((eventId) => messageKey({ orgId, eventId }));
    const { modifiedCount } = await messages.updateMany({ _id: { $in: ids } }, { $unset: { terms: '' } });
    return { forgotten: modifiedCount, next: undefined };
  };

/** Deletes the statistics of old days. */
function openForgetDays({ collections: { days }, statistics }: Shared): (step: ForgetOf<'days'>) => Promise<Forgotten> {
  return async ({ before, limit }) => {
    await statistics.write();
    const day = { $lt: new Date(before).toISOString().slice(0, 10) };
    const rows = await days.find({ day }).project<{ _id: string }>({ _id: 1 }).limit(limit).toArray();
    const { deletedCount } = await days.deleteMany({ _id: { $in: rows.map(({ _id }) => _id) } });
    return { forgotten: deletedCount, next: rows.length === limit ? '' : undefined };
  };
}

const openForgetHalfHours =
  ({ collections, statistics }: Shared) =>
  async ({ before, limit }: ForgetOf<'halfHours'>): Promise<Forgotten> => {
    await statistics.write();
    const moved = await moveHalfHours(collections, before, limit);
    return forgottenAnew(moved, moved < limit);
  };

/** Deletes an organisation's data, `limit` documents at most per call. Only the closed gates of its listeners remain. */
function openForgetOrganisation({
  collections: { deliveries, messages, days, halfHours, listeners, waitingEvents },
  statistics,
}: Shared): (step: ForgetOf<'organisation'>) => Promise<Forgotten> {
  async function forgetDeliveries(orgId: string, limit: number): Promise<number> {
    const found = await deliveries
      .find({ orgId, state: { $in: deliveryStates } })
      .project<Pick<DeliveryRow, '_id' | 'state'>>({ state: 1 })
      .limit(limit)
      .toArray();
    for (const state of new Set(found.map((row) => row.state))) {
      const ids = found.flatMap((row) => (row.state === state ? [row._id] : []));
      const { deletedCount } = await deliveries.deleteMany({ _id: { $in: ids }, state }); // the next call finds changed ones
      statistics.addStates({ [state]: -deletedCount });
    }
    return found.length;
  }

  async function forgetMessages(orgId: string, limit: number): Promise<number> {
    const found = await messages.find({ orgId }).project<{ _id: string }>({ _id: 1 }).limit(limit).toArray();
    if (found.length > 0) await messages.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } });
    return found.length;
  }

  /** One command for all listeners: there is no index by organisation alone, so it scans the collection. */
  const forgetListeners = (orgId: string) =>
    listeners.updateMany(
      { orgId },
      {
        $set: { closed: true },
        $unset: {
          orgId: '',
          hookUrl: '',
          subscription: '',
          secret: '',
          paused: '',
          partition: '',
          nextDue: '',
          dueSince: '',
          health: '',
        },
      },
    );

  return async ({ orgId, limit }) => {
    let forgotten = await forgetDeliveries(orgId, limit);
    if (forgotten < limit) forgotten += await forgetMessages(orgId, limit - forgotten);
    if (forgotten === limit) return forgottenAnew(forgotten, false);
    await waitingEvents.deleteMany({ orgId }); // none waits where the fan-out has passed its events
    await statistics.write(); // else it would write days of the organisation later
    await days.deleteMany({ orgId });
    await halfHours.deleteMany({ orgId });
    await forgetListeners(orgId);
    return forgottenAnew(forgotten, true);
  };
}

export function openForget(shared: Shared): QueueKeeping['forget'] {
  const deliveries = openPurge(shared);
  const flowEvents = openForgetPublished(shared.collections);
  const terms = openForgetTerms(shared.collections);
  const days = openForgetDays(shared);
  const halfHours = openForgetHalfHours(shared);
  const organisation = openForgetOrganisation(shared);
  return (step) => {
    if (step.of === 'deliveries') return deliveries(step);
    if (step.of === 'flowEvents') return flowEvents(step);
    if (step.of === 'terms') return terms(step);
    if (step.of === 'days') return days(step);
    return step.of === 'halfHours' ? halfHours(step) : organisation(step);
  };
}
