import type { LeaseRoom } from '../../queue/lease-room.js';
import type { Collections, TargetRow } from '../collections.js';

/** A hook whose hint says when to look at its deliveries. */
export type Hook = Required<Pick<TargetRow, 'nextDue' | 'orgId'>> &
  Pick<TargetRow, '_id' | 'wakes' | 'dueSince' | 'ordered' | 'paused' | 'ratePerSecond' | 'health' | 'turn' | 'mark'>;

export type DueHooks = {
  /** The one that has been due longest first. */
  readonly hooks: readonly Hook[];
  /** There may be more of them than these. */
  readonly more: boolean;
  /** When the next one is due, apart from those. */
  readonly nextDueAt: number | undefined;
};

const beginning = new Date(0);
const fields = {
  ...{ nextDue: 1, wakes: 1, orgId: 1, ordered: 1, paused: 1, ratePerSecond: 1 },
  ...{ dueSince: 1, health: 1, turn: 1, mark: 1 },
} as const;

/**
 * Finds hooks that are due. Those of organisations that have as many under way as they may can be many more than anybody
 * wants to pass by, one after another: where they fill the front, others are looked for by their organisations, in turn.
 */
export function hookFinder({ targets }: Pick<Collections, 'targets'>) {
  /** The organisation that had the last turn. */
  let last = '';

  const find = (filter: object, sort: Record<string, 1>, limit: number): Promise<readonly Hook[]> =>
    targets.find(filter).project<Hook>(fields).sort(sort).limit(limit).toArray();

  async function keyedMutex(due: object, full: readonly string[], limit: number): Promise<readonly Hook[]> {
    const of = (bounds: object) => find({ ...due, orgId: { ...bounds, $nin: full } }, { orgId: 1, nextDue: 1 }, limit);
    const after = await of({ $gt: last });
    const found = after.length < limit ? [...after, ...(await of({ $lte: last }))].slice(0, limit) : after;
    last = found.at(-1)?.orgId ?? '';
    return found;
  }

  return async (room: LeaseRoom, now: number): Promise<DueHooks> => {
    const limit = room.left + room.hooks().size + 1; // those that have some already may get no more now
    const busy = room.busyListeners();
    const full = room.fullOrganisations();
    const passedBy = busy.length > 0 && { _id: { $nin: busy } };
    const front = await find({ nextDue: { $gte: beginning }, ...passedBy }, { nextDue: 1 }, limit);
    const due = front.filter(({ nextDue }) => nextDue.getTime() <= now);
    const open = due.filter(({ orgId }) => !full.includes(orgId));
    if (due.length < limit) return { hooks: open, more: false, nextDueAt: front[due.length]?.nextDue.getTime() };
    if (open.length === due.length) return { hooks: open, more: true, nextDueAt: undefined };

    const known = new Set(open.map(({ _id }) => _id));
    const [others, [next]] = await Promise.all([
      keyedMutex({ nextDue: { $gte: beginning, $lte: new Date(now) }, ...passedBy }, full, limit),
      find({ nextDue: { $gt: new Date(now) } }, { nextDue: 1 }, 1),
    ]);
    return {
      hooks: [...open, ...others.filter(({ _id }) => !known.has(_id))],
      more: others.length === limit,
      nextDueAt: next?.nextDue.getTime(),
    };
  };
}
