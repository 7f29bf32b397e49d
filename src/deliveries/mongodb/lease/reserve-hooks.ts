import type { LeasedDelivery } from '../../queue/leasing.js';
import type { Collections } from '../collections.js';
import { compareAndSetHooks } from '../outcomes/compare-and-set-hooks.js';
import type { NewLease } from './delivery-leases.js';
import type { HookCandidates } from './find-due.js';

/**
 * Reserves, for all instances, what a lease needs of its hooks: attempts of the rate limit, the probe of a circuit
 * breaker, the lock of an ordered hook.
 */
export type HookReserver = {
  /** Returns the candidates that may be leased. The others lost the compare and set, and have to be read again. */
  readonly reserve: (candidates: readonly HookCandidates[], newLease: NewLease) => Promise<readonly HookCandidates[]>;
  /** Releases the locks of ordered hooks without a leased delivery. Unused attempts of a rate limit are lost. */
  readonly releaseUnused: (
    reserved: readonly HookCandidates[],
    leased: readonly LeasedDelivery[],
    newLease: NewLease,
  ) => Promise<void>;
};

export function hookReserver({ hooks }: Pick<Collections, 'hooks'>): HookReserver {
  return {
    async reserve(candidates, { token, expiresAt }) {
      const changes = candidates.flatMap(({ hook, due, health }) => {
        const turn = hook.ordered && due.length > 0 ? { lease: token, until: expiresAt } : undefined;
        return turn || health ? [{ hook, set: { ...(health && { health }), ...(turn && { turn }) } }] : [];
      });
      const reserved = await compareAndSetHooks({ hooks }, changes);
      const lost = new Set(changes.flatMap(({ hook: { _id } }) => (reserved.has(_id) ? [] : [_id])));
      return candidates.filter(({ hook }) => !lost.has(hook._id));
    },

    async releaseUnused(reserved, leased, { token, now }) {
      const had = new Set(leased.map(({ listenerId }) => listenerId));
      const unused = reserved.filter(({ hook, due }) => hook.ordered && due.length > 0 && !had.has(hook._id));
      if (unused.length === 0) return;
      await hooks.updateMany(
        { _id: { $in: unused.map(({ hook }) => hook._id) }, 'turn.lease': token, closed: false },
        { $unset: { turn: '' }, $min: { nextDue: now }, $inc: { hintVersion: 1 } },
      );
    },
  };
}
