import type { Filter, UpdateFilter } from 'mongodb';
import type { DeliveryRow } from '../collections.js';
import type { ListedRow } from '../log/list-deliveries.js';
import type { Times } from '../server-clock.js';

/** A worker holds an unexpired lease, even if the delivery was withdrawn meanwhile. */
export const isLeased = ({ lease, freeAt }: ListedRow, { serverNow }: Times): boolean =>
  lease !== undefined && freeAt.getTime() > serverNow;

export const unchanged = ({ _id, state, lease, freeAt }: ListedRow): Filter<DeliveryRow> => ({
  _id,
  state,
  freeAt,
  lease: lease ?? { $exists: false },
});

/**
 * Makes the delivery due now, or after the attempt under way. `recheckAt` covers it until the hook's due hint includes
 * it.
 */
export function dueNow(row: ListedRow, times: Times): UpdateFilter<DeliveryRow> {
  const now = new Date(times.now);
  if (isLeased(row, times)) {
    return { $set: { state: 'waiting', dueAt: now, recheckAt: row.freeAt }, $unset: { endedAt: '' } };
  }
  return {
    $set: { state: 'waiting', dueAt: now, freeAt: now, recheckAt: new Date(times.serverNow) },
    $unset: { endedAt: '', lease: '', again: '' },
  };
}
