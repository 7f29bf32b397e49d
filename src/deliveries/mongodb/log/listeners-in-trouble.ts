import type { Filter, Sort } from 'mongodb';
import type { TroubleQuery } from '../../queue/delivery-log.js';
import type { ListenerInTrouble } from '../../queue/listener-state.js';
import { healthy } from '../../queue/policy/listener-health.js';
import { mergeTroubled } from '../../queue/policy/merge-troubled.js';
import type { Collections, ListenerRow } from '../collections.js';

type Row = Pick<ListenerRow, '_id' | 'orgId' | 'hookUrl' | 'paused' | 'health' | 'nextDue' | 'dueSince'>;

const projection = { orgId: 1, hookUrl: 1, paused: 1, health: 1, nextDue: 1, dueSince: 1 } as const;

/** Each group is read in the order of an index, so the cost does not depend on the number of listeners. */
export const listenersInTroubleFinder =
  ({ listeners }: Pick<Collections, 'listeners'>) =>
  async ({ dueBefore, limit, orgId }: TroubleQuery): Promise<readonly ListenerInTrouble[]> => {
    const due = { $gte: new Date(0), $lte: new Date(dueBefore) };
    const find = (filter: Filter<ListenerRow>, sort: Sort) =>
      listeners
        .find({ ...filter, ...(orgId !== undefined && { orgId }) })
        .project<Row>(projection)
        .sort(sort)
        .limit(limit)
        .toArray();
    const groups = await Promise.all([
      find({ 'health.breaker.openUntil': { $gte: 0 } }, { 'health.breaker.openUntil': -1 }),
      find({ paused: true, 'health.failing.since': { $gte: 0 } }, { 'health.failing.since': 1 }),
      find({ dueSince: due }, { dueSince: 1 }),
      find({ nextDue: due }, { nextDue: 1 }),
    ]);
    return mergeTroubled(
      groups.map((rows) => rows.flatMap(toListener)),
      limit,
    );
  };

/** A listener that was removed, or whose organisation was erased, is in no trouble any more. */
function toListener({
  _id,
  orgId,
  hookUrl,
  paused = false,
  health = healthy,
  nextDue,
  dueSince,
}: Row): ListenerInTrouble[] {
  if (orgId === undefined || hookUrl === undefined) return [];
  return [{ listenerId: _id, orgId, hookUrl, paused, health, dueSince: (dueSince ?? nextDue)?.getTime() }];
}
