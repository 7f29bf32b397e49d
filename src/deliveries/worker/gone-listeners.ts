import { setMaxListeners } from 'node:events';
import type { Logger } from 'pino';
import { watchFailures } from '../../kernel/failures.js';
import { sleepUnlessAborted } from '../../kernel/unless-aborted.js';
import type { LeasedDelivery } from '../../queue/leasing.js';

/**
 * Listeners that answered 410, until their removal, which is retried until it succeeds; nothing is posted to them
 * meanwhile. After a crash, the next 410 starts it again.
 */
export type GoneListeners = {
  remove: (delivery: LeasedDelivery) => void;
  includes: (listenerId: string) => boolean;
  /** Listeners whose deliveries would be released, and leased again at once. */
  listeners: () => Iterable<string>;
  /** Removals that begin later are tried once. */
  stop: () => void;
  atRest: () => Promise<void>;
};

export function goneListeners({
  onGone,
  log,
}: {
  onGone: (delivery: LeasedDelivery) => Promise<void>;
  log: Logger;
}): GoneListeners {
  const removals = new Map<string, Promise<void>>(); // by listener
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal); // one for each listener

  async function removeInTheEnd(delivery: LeasedDelivery): Promise<void> {
    const { listenerId } = delivery;
    const failures = watchFailures(log.child({ listenerId }), 'removing a listener that is gone');
    let pauseMs = 0;
    do {
      try {
        await onGone(delivery);
        failures.recovered();
        removals.delete(listenerId);
        return;
      } catch (error) {
        pauseMs = failures.record(error);
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
