import type { PreviousSecret } from '../delivery.js';
import type { Lease, LeasedDelivery, LeaseRequest } from '../delivery-queue.js';
import { allowance, isHeldBack } from '../hook-health.js';
import type { DueHook } from './due-hooks.js';
import type { OnRollback } from './grouped-calls.js';
import type { HookHealths } from './hook-healths.js';
import type { Leases } from './leases.js';

/** A hook as it was before something new was enqueued for it. */
export type HookBefore = Omit<DueHook, 'nextDue'> & { readonly nextDue: number | null };

/** A delivery that has come in due, and its message. */
export type NewlyDue = Pick<LeasedDelivery, 'id' | 'webhookId' | 'replay' | 'eventId' | 'eventType' | 'body'> & {
  readonly key: number;
};

/** Takes new deliveries under lease as they come in; within the transaction that enqueues them. */
export type NewTaker = {
  /** `delivery`: undefined where it has to be found by leasing. */
  readonly offer: (hook: HookBefore, delivery: NewlyDue | undefined) => void;
  /** What has been taken, once the hooks' schedules are written; `nextDueAt` is now where anything was left. */
  readonly end: () => Lease;
};

/** `now` is on the queue's clock, that of the request is the caller's. */
export type TakeNew = (request: LeaseRequest, now: number, onRollback: OnRollback) => NewTaker;

/** What may still be taken of a hook, and until when nothing else of it is free. */
type Room = { readonly left: number; readonly nothingElseUntil: number };
const none: Room = { left: 0, nothingElseUntil: 0 };

/**
 * Leases what is new without looking for it, where looking would find just that: something is free for it by the request's
 * limits, nothing else of its hook is free and due, and the hook has neither an order to keep nor a health that says wait.
 */
export function newTaker({ healths, leases }: { readonly healths: HookHealths; readonly leases: Leases }): TakeNew {
  return (request, now, onRollback) => {
    const { limit, perListener, perOrganisation = Number.POSITIVE_INFINITY, underWay, underWayOf, leaseMs } = request;
    const lease = leases.next();
    const until = leases.moment() + leaseMs;
    const deliveries: LeasedDelivery[] = [];
    const rooms = new Map<number, Room>(); // none where something of the hook was left
    const share = new Map<string, number>();
    let isLeft = false;

    function roomOf(hook: HookBefore): Room {
      const { key, listenerId, nextDue, ordered } = hook;
      if (ordered === 1 || !mayStart(hook)) return none;
      const nothingElseUntil = nextDue === null || nextDue > now ? nextDue : leases.nothingFreeUntil(key);
      if (nothingElseUntil === undefined || (nothingElseUntil !== null && nothingElseUntil <= now)) return none;
      return {
        left: perListener - (underWay.get(listenerId) ?? 0),
        nothingElseUntil: Math.min(nothingElseUntil ?? Number.POSITIVE_INFINITY, now + leaseMs),
      };
    }

    function mayStart({ key, ratePerSecond, health: stored }: HookBefore): boolean {
      const perSecond = ratePerSecond ?? request.ratePerSecond;
      const health = healths.of(key, stored);
      return !isHeldBack(health, perSecond) && allowance(health, { wanted: 1, now, perSecond }).attempts === 1;
    }

    const shareOf = (orgId: string): number => share.get(orgId) ?? perOrganisation - (underWayOf?.get(orgId) ?? 0);

    function offer(hook: HookBefore, delivery: NewlyDue | undefined): void {
      const room = rooms.get(hook.key) ?? roomOf(hook);
      const shareLeft = shareOf(hook.orgId);
      if (!delivery || deliveries.length >= limit || room.left <= 0 || shareLeft <= 0) {
        rooms.set(hook.key, none);
        isLeft = true;
        return;
      }
      rooms.set(hook.key, { ...room, left: room.left - 1 });
      share.set(hook.orgId, shareLeft - 1);
      const { key, ...named } = delivery;
      leases.hold(named.id, { delivery: key, listener: hook.key, ordered: false, lease, until, again: false });
      onRollback(() => leases.drop(named.id));
      deliveries.push({ lease, attempt: 1, enqueuedAt: request.now, ...named, ...leasedFor(hook) });
    }

    function end(): Lease {
      for (const [key, { nothingElseUntil }] of rooms) {
        if (nothingElseUntil > now) leases.noteNothingFree(key, nothingElseUntil);
      }
      return { deliveries, nextDueAt: isLeft ? request.now : undefined };
    }

    return { offer, end };
  };
}

/** What a leased delivery says of its hook. */
export const leasedFor = ({
  listenerId,
  orgId,
  hookUrl,
  keyGeneration,
  secretVersion,
  previousSecret,
  ordered,
}: HookBefore) => ({
  listenerId,
  orgId,
  hookUrl,
  keyGeneration,
  secretVersion,
  ordered: ordered === 1,
  ...(previousSecret !== null && { previousSecret: JSON.parse(previousSecret) as PreviousSecret }), // as it was written
});
