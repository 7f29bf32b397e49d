import { updateEach } from '../../../stores/mongodb/bulk-writes.js';
import type { StoredQueue } from '../../stored-queue.js';
import type { Shared } from '../shared.js';

/** The next owner of the partitions attempts what was under way if no outcome was recorded until then. */
export function openPostpone({
  collections: { deliveries },
  underWay,
}: Pick<Shared, 'collections' | 'underWay'>): Required<StoredQueue>['postpone'] {
  return async (has, at) => {
    const rows = underWay.ofOrganisations(has);
    if (rows.length === 0) return;
    for (const row of rows) row.handedOver = true;
    const dueAt = new Date(at);
    await updateEach(
      deliveries,
      rows.map(({ _id, attempts }) => ({ filter: { _id, state: 'waiting', attempts }, update: { $set: { dueAt } } })),
    );
  };
}
