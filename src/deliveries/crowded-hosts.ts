import type { LeasedDelivery } from './delivery-queue.js';
import type { HostSlots } from './host-slots.js';

/** So many hooks are passed over at most: a lease request names them all. */
const maxPassedOver = 1_000;

/** Hooks for whose host there was no place: they are passed over while it is full, so that others get the slots. */
export type CrowdedHosts = {
  /** A place for a request to the delivery's hook, to be given back; undefined where there is none. */
  readonly place: (delivery: LeasedDelivery) => ReturnType<HostSlots['take']>;
  /** There was no place for it. */
  readonly passOver: (delivery: LeasedDelivery) => void;
  /** Whether any hooks are passed over. */
  readonly anyCrowded: () => boolean;
  /** What is under way of each hook, hooks that are passed over counting as having as many as they may. */
  readonly busy: (underWay: ReadonlyMap<string, number>, perListener: number) => ReadonlyMap<string, number>;
};

export function crowdedHosts(slots: HostSlots): CrowdedHosts {
  const passedOver = new Map<string, string>(); // the host of each
  return {
    // Where no more can be passed over, waiting keeps the same deliveries from being leased and given back on and on.
    place: ({ hookUrl }) => slots.take(hostOf(hookUrl), passedOver.size >= maxPassedOver),
    passOver({ listenerId, hookUrl }) {
      if (passedOver.size < maxPassedOver) passedOver.set(listenerId, hostOf(hookUrl));
    },
    anyCrowded: () => passedOver.size > 0,
    busy(underWay, perListener) {
      if (passedOver.size === 0) return underWay;
      const busy = new Map(underWay);
      for (const [listenerId, host] of passedOver) {
        if (slots.isFull(host)) busy.set(listenerId, perListener);
        else passedOver.delete(listenerId);
      }
      return busy;
    },
  };
}

const hostOf = (url: string): string => new URL(url).hostname;
