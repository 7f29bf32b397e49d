import type { LeasedDelivery } from '../../queue/delivery-queue.js';
import type { Collections } from '../collections.js';
import { putMarked } from '../outcomes/put-marked.js';
import type { Claim } from './claims.js';
import type { Look } from './find-due.js';

/** What has to be known of hooks to all instances before deliveries of them are leased: an attempt that a rate allows, a probe, a turn. */
export type HookStarter = {
  /** Those looks of which deliveries may be leased. Where somebody else was quicker, the hook has to be looked at again. */
  readonly start: (looks: readonly Look[], claim: Claim) => Promise<readonly Look[]>;
  /** The turns of those of which nothing was leased after all. What a rate allowed and was not used is lost. */
  readonly giveBack: (started: readonly Look[], leased: readonly LeasedDelivery[], claim: Claim) => Promise<void>;
};

export function hookStarter({ targets }: Pick<Collections, 'targets'>): HookStarter {
  return {
    async start(looks, { token, until }) {
      const changes = looks.flatMap(({ hook, due, health }) => {
        const turn = hook.ordered && due.length > 0 ? { lease: token, until } : undefined;
        return turn || health ? [{ hook, set: { ...(health && { health }), ...(turn && { turn }) } }] : [];
      });
      const started = await putMarked({ targets }, changes);
      const lost = new Set(changes.flatMap(({ hook: { _id } }) => (started.has(_id) ? [] : [_id])));
      return looks.filter(({ hook }) => !lost.has(hook._id));
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
