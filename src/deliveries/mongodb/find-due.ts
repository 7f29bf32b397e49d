import type { LeaseRequest } from '../delivery-queue.js';
import type { Collections, DeliveryRow, TargetRow } from './collections.js';

/** A hook that was looked at: what of it is to be leased, and when there is more. */
export type Look = {
  readonly hook: Hook;
  readonly due: readonly Found[];
  /** When the first of its other waiting deliveries may be leased. */
  readonly next: Date | undefined;
  /** So many of this hook may be taken. */
  readonly share: number;
};

export type Due = {
  readonly looks: readonly Look[];
  /** When asking again may give more, apart from what the looks say. */
  readonly nextDueAt: number | undefined;
};

type Hook = Pick<TargetRow, '_id' | 'wakes'> & Required<Pick<TargetRow, 'nextDue'>>;
export type Found = Pick<DeliveryRow, '_id' | 'orgId' | 'eventId' | 'listenerId' | 'freeAt'>;

/** So many hooks are looked at side by side. */
const waveSize = 16;
const beginning = new Date(0);

/**
 * Finds what is due, by hooks: the one that has been due longest first. Two index ranges are read from their beginning,
 * that of the hooks and that of each hook looked at, so the cost goes by what is asked for and not by what waits.
 */
export function dueFinder({ targets, deliveries }: Collections) {
  async function hooksInOrder(busy: readonly string[], limit: number): Promise<readonly Hook[]> {
    return targets
      .find({ nextDue: { $gte: beginning }, ...(busy.length > 0 && { _id: { $nin: busy } }) })
      .project<Hook>({ nextDue: 1, wakes: 1 })
      .sort({ nextDue: 1 })
      .limit(limit)
      .toArray();
  }

  /** The longest due first. Those under lease are passed by, and only behind all that are free. */
  async function waitingOf(listenerId: string, limit: number): Promise<readonly Found[]> {
    return deliveries
      .find({ state: 'waiting', listenerId, lease: { $exists: false } })
      .project<Found>({ orgId: 1, eventId: 1, listenerId: 1, freeAt: 1 })
      .sort({ freeAt: 1 })
      .limit(limit)
      .toArray();
  }

  /** `underWay` counts what was leased by earlier rounds of the same request too. */
  return async ({ limit, perListener, underWay, now }: Omit<LeaseRequest, 'leaseMs'>): Promise<Due> => {
    const busy = [...underWay].flatMap(([listenerId, count]) => (count >= perListener ? [listenerId] : []));
    const hooks = await hooksInOrder(busy, limit + 1);
    const due = hooks.filter(({ nextDue }) => nextDue.getTime() <= now);
    const looks: Look[] = [];
    let room = limit;
    let at = 0;

    for (; at < due.length && room > 0; at += waveSize) {
      const wave = due
        .slice(at, at + waveSize)
        .map((hook) => ({ hook, share: perListener - (underWay.get(hook._id) ?? 0) }));
      const most = room;
      const found = await Promise.all(wave.map(({ hook, share }) => waitingOf(hook._id, Math.min(share, most) + 1)));
      for (const [index, { hook, share }] of wave.entries()) {
        const waiting = found[index] ?? [];
        const free = waiting.filter(({ freeAt }) => freeAt.getTime() <= now).slice(0, Math.min(share, room));
        room -= free.length;
        looks.push({ hook, share, due: free, next: waiting[free.length]?.freeAt });
      }
    }
    const more = at < due.length || due.length > limit;
    return { looks, nextDueAt: more ? now : hooks[due.length]?.nextDue.getTime() };
  };
}
