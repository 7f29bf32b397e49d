import type { LeaseRequest } from '../../queue/delivery-queue.js';
import { afterStart, allowance, type HookHealth, healthy, isHeldBack } from '../../queue/hook-health.js';
import type { LeaseRoom } from '../../queue/lease-room.js';
import type { Collections } from '../collections.js';
import type { Times } from '../server-clock.js';
import { type Hook, hookFinder } from './find-hooks.js';
import { type Found, type Waiting, waitingFinder } from './find-waiting.js';

/** A hook that was looked at: what of it is to be leased, and when there is more. */
export type Look = {
  readonly hook: Hook;
  readonly due: readonly Found[];
  /** When the first of its other waiting deliveries may be leased. */
  readonly next: Date | undefined;
  /** Since when that has been due, where the hook's health or rate keeps it back. */
  readonly dueSince: Date | undefined;
  /** It gets all that it may have at once: what is beyond that waits for attempts to end, not for a time. */
  readonly isFull: boolean;
  /** What has to be known of the hook before any of it is leased. */
  readonly health: HookHealth | undefined;
};

export type Due = {
  readonly looks: readonly Look[];
  /** There may be more of other hooks. */
  readonly more: boolean;
  /** When asking again may give more, apart from what the looks say. */
  readonly nextDueAt: number | undefined;
};

export type DueRequest = Times & Pick<LeaseRequest, 'ratePerSecond' | 'leaseMs'> & { readonly room: LeaseRoom };

/** So many hooks are looked at side by side. */
const waveSize = 16;

/**
 * Finds what is due, by hooks: the one that has been due longest first. Two index ranges are read from their beginning,
 * that of the hooks and that of each hook looked at, so the cost goes by what is asked for and not by what waits.
 */
export function dueFinder(collections: Collections): (request: DueRequest) => Promise<Due> {
  const dueHooks = hookFinder(collections);
  const findWaiting = waitingFinder(collections);

  return async (request) => {
    const { now } = request;
    const room = request.room.copy();
    const { hooks, more, nextDueAt } = await dueHooks(room, now);
    const looks: Look[] = [];
    let at = 0;
    for (; at < hooks.length && room.left > 0; at += waveSize) {
      const wave = hooks.slice(at, at + waveSize).filter((hook) => room.shareOf(named(hook)) > 0);
      const found = await Promise.all(
        wave.map((hook) => findWaiting(hook, { ...request, limit: room.shareOf(named(hook)) + 1 })),
      );
      for (const [index, waiting] of found.entries()) {
        const hook = wave[index] as Hook; // one for each of them
        const look = lookAt(hook, waiting, { ...request, room });
        room.take(named(hook), look.due.length);
        looks.push(look);
      }
    }
    return { looks, more: more || at < hooks.length, nextDueAt };
  };
}

const named = ({ _id, orgId }: Hook) => ({ listenerId: _id, orgId });

function lookAt(hook: Hook, { free, next }: Waiting, { room, now, leaseMs, ratePerSecond }: DueRequest): Look {
  const wanted = free.slice(0, room.shareOf(named(hook)));
  const perSecond = hook.ratePerSecond ?? ratePerSecond;
  const { health = healthy } = hook;
  const { attempts, askAgainAt } = allowance(health, { wanted: wanted.length, now, perSecond });
  const due = wanted.slice(0, attempts);
  const started =
    due.length > 0 && isHeldBack(health, perSecond)
      ? afterStart(health, { attempts: due.length, now, perSecond, probeMs: leaseMs })
      : undefined;
  const heldUntil = started ? allowance(started, { wanted: 1, now, perSecond }).askAgainAt : askAgainAt;
  const rest = free[due.length]?.freeAt ?? next;
  const isKeptBack = rest !== undefined && heldUntil !== undefined && heldUntil > Math.max(rest.getTime(), now);
  return {
    hook,
    due,
    next: isKeptBack ? new Date(heldUntil) : rest,
    dueSince: isKeptBack && rest.getTime() <= now ? rest : undefined,
    isFull: due.length >= room.ofHook(named(hook)),
    health: started,
  };
}
