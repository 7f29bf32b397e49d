import type { LeasedDelivery } from './delivery-queue.js';
import { addressOf } from './hook-address.js';
import type { HostSlots } from './host-slots.js';

/** So many hooks are passed over at most: a lease request names them all. */
const maxPassedOver = 1_000;

/**
 * Shares the places of a host among its hooks: one may have as many as it leaves to the others, so that hooks which hang
 * do not take all of them, and there is one for whoever comes next. Hooks for which there was none are passed over, so that
 * others get the slots.
 */
export type CrowdedHosts = {
  /** A place for a request to the delivery's hook, to be given back; undefined where there is none. */
  readonly place: (delivery: LeasedDelivery) => ReturnType<HostSlots['take']> | undefined;
  /** There was no place for it. */
  readonly passOver: (delivery: LeasedDelivery) => void;
  /** Whether a hook at the delivery's host may have a place now that this one is over, and had none before. */
  readonly isAwaited: (delivery: LeasedDelivery) => boolean;
  /**
   * How many more a hook may have, as far as that is known to be few: none of hooks that are passed over. Of those of a host as
   * many are taken up again as it has places, for one delivery each at first: more would only be given back.
   */
  readonly atMost: () => Map<string, number>;
};

export function crowdedHosts(slots: HostSlots): CrowdedHosts {
  const passedOver = new Map<string, Set<string>>(); // by host, those that have waited longest first
  const placesOf = new Map<string, { readonly host: string; count: number }>(); // by hook
  let count = 0;
  const countOf = (listenerId: string): number => placesOf.get(listenerId)?.count ?? 0;
  /** So many more the hook may have: it stops where there are no more left than it has. */
  const moreFor = (listenerId: string, host: string): number => Math.ceil((slots.free(host) - countOf(listenerId)) / 2);

  function hold(listenerId: string, host: string, release: () => void): () => void {
    const places = placesOf.get(listenerId) ?? { host, count: 0 };
    placesOf.set(listenerId, places);
    places.count += 1;
    return () => {
      places.count -= 1;
      if (places.count === 0) placesOf.delete(listenerId);
      release();
    };
  }

  return {
    place({ listenerId, hookUrl }) {
      const { host } = addressOf(hookUrl);
      // Where no more can be passed over, waiting keeps the same deliveries from being leased and given back on and on.
      const patient = count >= maxPassedOver;
      if (countOf(listenerId) > 0 && moreFor(listenerId, host) <= 0 && !patient) return undefined;
      const release = slots.take(host, patient);
      if (!(release instanceof Promise)) return hold(listenerId, host, release);
      return release.then((given) => given && hold(listenerId, host, given));
    },
    passOver({ listenerId, hookUrl }) {
      const { host } = addressOf(hookUrl);
      const hooks = passedOver.get(host) ?? new Set();
      if (hooks.has(listenerId) || count >= maxPassedOver) return;
      passedOver.set(host, hooks.add(listenerId));
      count += 1;
    },
    isAwaited({ hookUrl }) {
      const { host } = addressOf(hookUrl);
      return passedOver.has(host) || slots.isCrowded(host);
    },
    atMost() {
      const atMost = new Map<string, number>();
      for (const [listenerId, { host }] of placesOf) atMost.set(listenerId, Math.max(0, moreFor(listenerId, host)));
      for (const [host, hooks] of passedOver) {
        let free = slots.free(host);
        for (const listenerId of hooks) {
          const isFree = free > countOf(listenerId);
          if (isFree) {
            hooks.delete(listenerId);
            count -= 1;
            free -= 1;
          }
          atMost.set(listenerId, isFree ? 1 : 0);
        }
        if (hooks.size === 0) passedOver.delete(host);
      }
      return atMost;
    },
  };
}
