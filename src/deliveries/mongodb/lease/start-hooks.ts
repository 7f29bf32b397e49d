import type { LeasedDelivery } from '../../queue/delivery-queue.js';
import type { Collections } from '../collections.js';
import { compareAndSetHooks } from '../outcomes/compare-and-set-hooks.js';
import type { NewLease } from './delivery-leases.js';
import type { HookCandidates } from './find-due.js';

/** What has to be known of hooks to all instances before deliveries of them are leased: an attempt that a rate allows, a probe, a turn. */
export type HookStarter = {
  /** Those candidates of which deliveries may be leased. Where somebody else was quicker, the hook has to be looked at again. */
  readonly start: (candidates: readonly HookCandidates[], newLease: NewLease) => Promise<readonly HookCandidates[]>;
  /** The turns of those of which nothing was leased after all. What a rate allowed and was not used is lost. */
  readonly giveBack: (
    started: readonly HookCandidates[],
    leased: readonly LeasedDelivery[],
    newLease: NewLease,
  ) => Promise<void>;
};

export function hookStarter({ targets }: Pick<Collections, 'targets'>): HookStarter {
  return {
    async start(candidates, { token, expiresAt }) {
      const changes = candidates.flatMap(({ hook, due, health }) => {
        const turn = hook.ordered && due.length > 0 ? { lease: token, until: expiresAt } : undefined;
        return turn || health ? [{ hook, set: { ...(health && { health }), ...(turn && { turn }) } }] : [];
      });
      const started = await compareAndSetHooks({ targets }, changes);
      const lost = new Set(changes.flatMap(({ hook: { _id } }) => (started.has(_id) ? [] : [_id])));
      return candidates.filter(({ hook }) => !lost.has(hook._id));
    },

    async giveBack(started, leased, { token, now }) {
      const had = new Set(leased.map(({ listenerId }) => listenerId));
      const unused = started.filter(({ hook, due }) => hook.ordered && due.length > 0 && !had.has(hook._id));
      if (unused.length === 0) return;
      await targets.updateMany(
        { _id: { $in: unused.map(({ hook }) => hook._id) }, 'turn.lease': token, closed: false },
        { $unset: { turn: '' }, $min: { nextDue: now }, $inc: { wakes: 1 } },
      );
    },
  };
}
