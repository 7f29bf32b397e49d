import type { LeaseRequest } from '../../queue/leasing.js';
import { type HookHealth, healthy } from '../../queue/policy/hook-health.js';
import { leaseAllowance } from '../../queue/policy/lease-allowance.js';
import type { LeaseRoom } from '../../queue/policy/lease-room.js';
import type { Collections } from '../collections.js';
import type { Times } from '../server-clock.js';
import { dueHookFinder, type Hook } from './find-hooks.js';
import { type CandidateDelivery, type WaitingDeliveries, waitingFinder } from './find-waiting.js';

/** A due hook: its deliveries to lease, and when it has more. */
export type HookCandidates = {
  readonly hook: Hook;
  readonly due: readonly CandidateDelivery[];
  /** When the first of its other waiting deliveries may be leased; the next value of its due hint. */
  readonly next: Date | undefined;
  /** Due time of that delivery, if the hook's health or rate limit delays it. */
  readonly dueSince: Date | undefined;
  /** The hook's share is used up: its other deliveries wait for attempts to end, not for a time. */
  readonly isFull: boolean;
  /** The hook's health after this lease, to be written before it; undefined if the lease does not change it. */
  readonly health: HookHealth | undefined;
};

export type DueHookCandidates = {
  readonly candidates: readonly HookCandidates[];
  /** Other hooks may have more. */
  readonly more: boolean;
  /** When the next hook that is not among the candidates is due. */
  readonly nextDueAt: number | undefined;
};

export type DueRequest = Times & Pick<LeaseRequest, 'ratePerSecond' | 'leaseMs'> & { readonly room: LeaseRoom };

/** Maximum number of hooks whose deliveries are read concurrently. */
const waveSize = 16;

/**
 * Finds due deliveries by hooks, the hook that is due longest first. It reads the beginnings of two index ranges, that
 * of the hooks and that of each hook's deliveries, so the cost depends on the number requested and not on the number
 * waiting.
 */
export function dueFinder(collections: Collections): (request: DueRequest) => Promise<DueHookCandidates> {
  const dueHooks = dueHookFinder(collections);
  const findWaiting = waitingFinder(collections);

  return async (request) => {
    const { now } = request;
    const room = request.room.copy();
    const { hooks, more, nextDueAt } = await dueHooks(room, now);
    const candidates: HookCandidates[] = [];
    let at = 0;
    for (; at < hooks.length && room.left > 0; at += waveSize) {
      // The share is kept: attempts that end while the deliveries are read may enlarge it, beyond what is read.
      const wave = hooks
        .slice(at, at + waveSize)
        .map((hook) => ({ hook, share: room.shareOf(named(hook)) }))
        .filter(({ share }) => share > 0);
      const found = await Promise.all(
        wave.map(async ({ hook, share }) => ({
          hook,
          share,
          waiting: await findWaiting(hook, { ...request, limit: share + 1 }),
        })),
      );
      for (const { hook, share, waiting } of found) {
        const ofHook = candidatesOf(hook, waiting, { ...request, room, share });
        room.take(named(hook), ofHook.due.length);
        candidates.push(ofHook);
      }
    }
    return { candidates, more: more || at < hooks.length, nextDueAt };
  };
}

const named = ({ _id, orgId, hookUrl }: Hook) => ({ listenerId: _id, orgId, hookUrl });

function candidatesOf(
  hook: Hook,
  { leasable, next }: WaitingDeliveries,
  { room, share, now, leaseMs, ratePerSecond }: DueRequest & { readonly share: number },
): HookCandidates {
  const wanted = leasable.slice(0, Math.min(share, room.shareOf(named(hook))));
  const perSecond = hook.ratePerSecond ?? ratePerSecond;
  const { health = healthy } = hook;
  const request = { wanted: wanted.length, now, perSecond, probeMs: leaseMs };
  const { attempts, health: started, keptBackUntil } = leaseAllowance(health, request);
  const due = wanted.slice(0, attempts);
  const rest = leasable[due.length]?.leasableAt ?? next;
  const isKeptBack = rest !== undefined && keptBackUntil !== undefined && keptBackUntil > Math.max(rest.getTime(), now);
  return {
    hook,
    due,
    next: isKeptBack ? new Date(keptBackUntil) : rest,
    dueSince: isKeptBack && rest.getTime() <= now ? rest : undefined,
    isFull: due.length >= room.ofHook(named(hook)),
    health: started,
  };
}
