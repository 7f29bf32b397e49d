import type { Collections, DeliveryRow } from '../collections.js';
import { callersTime, type Times } from '../server-clock.js';
import type { Hook } from './find-hooks.js';

/** A delivery that may be leased. */
export type Found = Pick<DeliveryRow, '_id' | 'orgId' | 'eventId' | 'listenerId' | 'freeAt'>;

export type Waiting = {
  /** Those that may be leased now, in their order. */
  readonly free: readonly Found[];
  /** When the first of the others may be, where these are leased. */
  readonly next: Date | undefined;
};

export type WaitingRequest = Times & { readonly limit: number; readonly leaseMs: number };

const fields = { orgId: 1, eventId: 1, listenerId: 1, freeAt: 1 } as const;

/** Finds what of a hook waits, up to a limit. */
export function waitingFinder({ deliveries }: Pick<Collections, 'deliveries'>) {
  /** The longest due first. Those under lease are passed by, and only behind all that are free. */
  async function longestDue({ _id: listenerId }: Hook, { limit, now }: WaitingRequest): Promise<Waiting> {
    const waiting = await deliveries
      .find({ state: 'waiting', listenerId, lease: { $exists: false } })
      .project<Found>(fields)
      .sort({ freeAt: 1 })
      .limit(limit)
      .toArray();
    const free = waiting.filter(({ freeAt }) => freeAt.getTime() <= now);
    return { free, next: waiting[free.length]?.freeAt };
  }

  /** The first in the order of the events, where nothing of the hook is under lease. */
  async function firstInOrder({ _id: listenerId, turn }: Hook, request: WaitingRequest): Promise<Waiting> {
    const { now, moment, leaseMs } = request;
    const notBefore = (end: Date): Waiting => ({ free: [], next: callersTime(end, request) });
    if (turn && turn.until.getTime() > moment) return notBefore(turn.until);
    const ofHook = { state: 'waiting', listenerId } as const;
    const leased = { ...ofHook, freeAt: { $gt: new Date(moment) }, lease: { $exists: true } };
    const [[first, second], underWay] = await Promise.all([
      deliveries
        .find(ofHook)
        .project<Found & Pick<DeliveryRow, 'lease'>>({ ...fields, lease: 1 })
        .sort({ position: 1, _id: 1 })
        .limit(2)
        .toArray(),
      // By those who leased several of it while it was no ordered one.
      deliveries.findOne(leased, { projection: { freeAt: 1 } }),
    ]);
    if (!first) return { free: [], next: undefined };
    if (underWay) return notBefore(underWay.freeAt);
    if (first.lease !== undefined) return notBefore(first.freeAt); // it has run out, and is about to be freed
    if (first.freeAt.getTime() > now) return { free: [], next: first.freeAt };
    return { free: [first], next: second && new Date(now + leaseMs) };
  }

  return async (hook: Hook, request: WaitingRequest): Promise<Waiting> => {
    if (hook.paused) return { free: [], next: undefined };
    return hook.ordered ? firstInOrder(hook, request) : longestDue(hook, request);
  };
}
