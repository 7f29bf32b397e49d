import type { Filter, UpdateFilter } from 'mongodb';
import type { DeliveryRow } from '../collections.js';
import type { ListedRow } from '../log/list-deliveries.js';
import type { Times } from '../server-clock.js';

/** A worker holds an unexpired lease, even if the delivery was withdrawn meanwhile. */
export const isLeased = ({ lease, leasableAt }: ListedRow, { serverNow }: Times): boolean =>
  lease !== undefined && leasableAt.getTime() > serverNow;

export const unchanged = ({ _id, state, lease, leasableAt }: ListedRow): Filter<DeliveryRow> => ({
  _id,
  state,
  leasableAt,
  lease: lease ?? { $exists: false },
});

/**
 * Makes the delivery due now, or after the attempt under way. `leaseCheckAt` covers it until the listener's due hint includes
 * it.
 */
export function dueNow(row: ListedRow, times: Times): UpdateFilter<DeliveryRow> {
  const now = new Date(times.now);
  if (isLeased(row, times)) {
    return { $set: { state: 'waiting', dueAt: now, leaseCheckAt: row.leasableAt }, $unset: { endedAt: '' } };
  }
  return {
    $set: { state: 'waiting', dueAt: now, leasableAt: now, leaseCheckAt: new Date(times.serverNow) },
    $unset: { endedAt: '', lease: '', redeliveryRequestedAt: '' },
  };
}
