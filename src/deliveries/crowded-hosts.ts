import type { LeasedDelivery } from './delivery-queue.js';
import { addressOf } from './hook-address.js';
import type { HostSlots } from './host-slots.js';

/** So many hooks are passed over at most: a lease request names them all. */
const maxPassedOver = 1_000;

/** Hooks for whose host there was no place: they are passed over while it is full, so that others get the slots. */
export type CrowdedHosts = {
  /** A place for a request to the delivery's hook, to be given back; undefined where there is none. */
  readonly place: (delivery: LeasedDelivery) => ReturnType<HostSlots['take']>;
  /** There was no place for it. */
  readonly passOver: (delivery: LeasedDelivery) => void;
  /** Whether a hook at the delivery's host is passed over, which may have a place now that this one is over. */
  readonly isAwaited: (delivery: LeasedDelivery) => boolean;
  /**
   * None of hooks that are passed over. Of those of a host as many are taken up again as it has places free, for one delivery
   * each at first: more would only be given back.
   */
  readonly atMost: () => Map<string, number>;
};

export function crowdedHosts(slots: HostSlots): CrowdedHosts {
  const passedOver = new Map<string, Set<string>>(); // by host, those that have waited longest first
  let count = 0;
  return {
    // Where no more can be passed over, waiting keeps the same deliveries from being leased and given back on and on.
    place: ({ hookUrl }) => slots.take(addressOf(hookUrl).host, count >= maxPassedOver),
    passOver({ listenerId, hookUrl }) {
      const host = addressOf(hookUrl).host;
      const hooks = passedOver.get(host) ?? new Set();
      if (hooks.has(listenerId) || count >= maxPassedOver) return;
      passedOver.set(host, hooks.add(listenerId));
      count += 1;
    },
    isAwaited: ({ hookUrl }) => count > 0 && passedOver.has(addressOf(hookUrl).host),
    atMost() {
      const atMost = new Map<string, number>();
      for (const [host, hooks] of passedOver) {
        let free = slots.free(host);
        for (const listenerId of hooks) {
          if (free > 0) {
            hooks.delete(listenerId);
            count -= 1;
          }
          atMost.set(listenerId, free > 0 ? 1 : 0);
          free -= 1;
        }
        if (hooks.size === 0) passedOver.delete(host);
      }
      return atMost;
    },
  };
}
