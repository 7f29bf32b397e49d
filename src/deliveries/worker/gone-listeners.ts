import { setMaxListeners } from 'node:events';
import type { Logger } from 'pino';
import { sleepUnlessAborted } from '../../kernel/sleep-unless-aborted.js';
import { watchTrouble } from '../../kernel/trouble.js';
import type { LeasedDelivery } from '../queue/leasing.js';

/**
 * The listeners that have answered 410, until they are removed: that is tried until it succeeds, and nothing is posted to them
 * meanwhile. Known to this process alone: where it ends before that, the next 410 begins it anew.
 */
export type GoneListeners = {
  /** Begins to remove the listener of the delivery, unless that is under way. */
  readonly remove: (delivery: LeasedDelivery) => void;
  /** Nothing may be posted to it any more. */
  readonly includes: (listenerId: string) => boolean;
  /** All of them: what was leased of them would be given back, and leased again at once. */
  readonly listeners: () => Iterable<string>;
  /** Nothing is tried again, and what is begun from now on is tried once. */
  readonly stop: () => void;
  /** Resolves once no try is under way. */
  readonly atRest: () => Promise<void>;
};

export function goneListeners({
  onGone,
  log,
}: {
  readonly onGone: (delivery: LeasedDelivery) => Promise<void>;
  readonly log: Logger;
}): GoneListeners {
  const removals = new Map<string, Promise<void>>(); // by listener
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal); // one for each listener

  async function removeInTheEnd(delivery: LeasedDelivery): Promise<void> {
    const { listenerId } = delivery;
    const trouble = watchTrouble(log.child({ listenerId }), 'removing a listener that is gone');
    let pauseMs = 0;
    do {
      try {
        await onGone(delivery);
        trouble.over();
        removals.delete(listenerId);
        return;
      } catch (error) {
        pauseMs = trouble.met(error);
      }
    } while (await sleepUnlessAborted(pauseMs, stopping.signal));
  }

  return {
    remove(delivery) {
      const { listenerId } = delivery;
      if (!removals.has(listenerId)) removals.set(listenerId, removeInTheEnd(delivery));
    },
    includes: (listenerId) => removals.has(listenerId),
    listeners: () => removals.keys(),
    stop: () => stopping.abort(),
    async atRest() {
      await Promise.all(removals.values());
    },
  };
}
