import { deliveryStates } from '../../queue/delivery.js';
import type { Collections, DeliveryRow } from '../collections.js';
import type { Tally } from '../tally.js';

/** Deletes an organisation's data, `limit` documents at most per call. Only the closed gates of its listeners remain. */
export function organisationForgetter(
  { deliveries, messages, days, listeners, waitingEvents }: Collections,
  tally: Tally,
): (request: { readonly orgId: string; readonly limit: number }) => Promise<number> {
  async function forgetDeliveries(orgId: string, limit: number): Promise<number> {
    const found = await deliveries
      .find({ orgId, state: { $in: deliveryStates } })
      .project<Pick<DeliveryRow, '_id' | 'state'>>({ state: 1 })
      .limit(limit)
      .toArray();
    for (const state of new Set(found.map((row) => row.state))) {
      const ids = found.flatMap((row) => (row.state === state ? [row._id] : []));
      const { deletedCount } = await deliveries.deleteMany({ _id: { $in: ids }, state }); // the next call finds changed ones
      await tally.add({ [state]: -deletedCount });
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
          keyGeneration: '',
          secretVersion: '',
          previousSecret: '',
          transform: '',
          ordered: '',
          ratePerSecond: '',
          paused: '',
          nextDue: '',
          dueSince: '',
          health: '',
          turn: '',
        },
      },
    );

  return async ({ orgId, limit }) => {
    let forgotten = await forgetDeliveries(orgId, limit);
    if (forgotten < limit) forgotten += await forgetMessages(orgId, limit - forgotten);
    if (forgotten === limit) return forgotten;
    await waitingEvents.deleteMany({ orgId }); // none waits where the fan-out has passed its events
    await days.deleteMany({ orgId });
    await forgetListeners(orgId);
    return forgotten;
  };
}
