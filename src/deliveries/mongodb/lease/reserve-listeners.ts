import type { LeasedDelivery } from '../../queue/leasing.js';
import type { Collections } from '../collections.js';
import { compareAndSetListeners } from '../outcomes/compare-and-set-listeners.js';
import type { NewLease } from './delivery-leases.js';
import type { ListenerCandidates } from './find-due.js';

/**
 * Reserves, for all instances, what a lease needs of its listeners: attempts of the rate limit, the probe of a circuit
 * breaker, the lock of an ordered listener.
 */
export type ListenerReserver = {
  /** Returns the candidates that may be leased. The others lost the compare and set, and have to be read again. */
  readonly reserve: (
    candidates: readonly ListenerCandidates[],
    newLease: NewLease,
  ) => Promise<readonly ListenerCandidates[]>;
  /** Releases the locks of ordered listeners without a leased delivery. Unused attempts of a rate limit are lost. */
  readonly releaseUnused: (
    reserved: readonly ListenerCandidates[],
    leased: readonly LeasedDelivery[],
    newLease: NewLease,
  ) => Promise<void>;
};

export function listenerReserver({ listeners }: Pick<Collections, 'listeners'>): ListenerReserver {
  return {
    async reserve(candidates, { token, expiresAt }) {
      const changes = candidates.flatMap(({ listener, due, health }) => {
        const turn = listener.ordered && due.length > 0 ? { lease: token, until: expiresAt } : undefined;
        return turn || health ? [{ listener, set: { ...(health && { health }), ...(turn && { turn }) } }] : [];
      });
      const reserved = await compareAndSetListeners({ listeners }, changes);
      const lost = new Set(changes.flatMap(({ listener: { _id } }) => (reserved.has(_id) ? [] : [_id])));
      return candidates.filter(({ listener }) => !lost.has(listener._id));
    },

    async releaseUnused(reserved, leased, { token, now }) {
      const had = new Set(leased.map(({ listenerId }) => listenerId));
      const unused = reserved.filter(
        ({ listener, due }) => listener.ordered && due.length > 0 && !had.has(listener._id),
      );
      if (unused.length === 0) return;
      await listeners.updateMany(
        { _id: { $in: unused.map(({ listener }) => listener._id) }, 'turn.lease': token, closed: false },
        { $unset: { turn: '' }, $min: { nextDue: now }, $inc: { hintVersion: 1 } },
      );
    },
  };
}
