import { addressOf } from '../posting/hook-address.js';
import type { LeasedDelivery } from '../queue/delivery-queue.js';
import { addTo } from './counts.js';
import type { HostSlots } from './host-slots.js';

/** So many hooks are passed over at most: a lease request names them all. */
const maxPassedOver = 1_000;
/** An organisation stops where it has so many times the places that are left to others. */
const timesLeft = 4;

/**
 * Shares the places of a host among organisations, and an organisation's among its hooks: whoever has some may have as many
 * more as it leaves to the others, so that hooks which hang do not take all of them, and there is one for whoever comes next.
 * Hooks for which there was none are passed over, so that others get the slots.
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

/** Who has places at a host, or waits for one. */
type Guest = { readonly host: string; readonly listenerId: string; readonly orgId: string };

export function crowdedHosts(slots: HostSlots): CrowdedHosts {
  const passedOver = new Map<string, Map<string, Guest>>(); // by host and hook, those that have waited longest first
  const placesOf = new Map<string, { readonly guest: Guest; count: number }>(); // by hook
  const placesOfOrganisation = new Map<string, number>(); // see `organisationAt`
  let count = 0;
  const countOf = (listenerId: string): number => placesOf.get(listenerId)?.count ?? 0;

  const guestOf = ({ listenerId, orgId, hookUrl }: LeasedDelivery): Guest => ({
    host: addressOf(hookUrl).host,
    listenerId,
    orgId,
  });

  const ofOrganisation = (guest: Guest): number => placesOfOrganisation.get(organisationAt(guest)) ?? 0;
  /** So many more its organisation may have. */
  const left = (guest: Guest): number => moreFor(ofOrganisation(guest), slots.free(guest.host));

  function hold(guest: Guest, release: () => void): () => void {
    const places = placesOf.get(guest.listenerId) ?? { guest, count: 0 };
    placesOf.set(guest.listenerId, places);
    places.count += 1;
    addTo(placesOfOrganisation, organisationAt(guest), 1);
    return () => {
      places.count -= 1;
      if (places.count === 0) placesOf.delete(guest.listenerId);
      addTo(placesOfOrganisation, organisationAt(guest), -1);
      release();
    };
  }

  return {
    place(delivery) {
      const guest = guestOf(delivery);
      const { host, listenerId } = guest;
      // Where no more can be passed over, waiting keeps the same deliveries from being leased and given back on and on.
      const patient = count >= maxPassedOver;
      if (ofOrganisation(guest) > 0 && countOf(listenerId) >= left(guest) && !patient) return undefined;
      const release = slots.take(host, patient);
      if (!(release instanceof Promise)) return hold(guest, release);
      return release.then((given) => given && hold(guest, given));
    },
    passOver(delivery) {
      const guest = guestOf(delivery);
      const { host, listenerId } = guest;
      const hooks = passedOver.get(host) ?? new Map();
      if (hooks.has(listenerId) || count >= maxPassedOver) return;
      passedOver.set(host, hooks.set(listenerId, guest));
      count += 1;
    },
    isAwaited({ hookUrl }) {
      const { host } = addressOf(hookUrl);
      return passedOver.has(host) || slots.isCrowded(host);
    },
    atMost() {
      const atMost = new Map<string, number>();
      for (const [listenerId, { guest, count }] of placesOf) {
        atMost.set(listenerId, Math.max(0, Math.ceil((left(guest) - count) / 2)));
      }
      for (const [host, hooks] of passedOver) {
        let free = slots.free(host);
        const offered = new Map<string, number>(); // by organisation
        for (const [listenerId, guest] of hooks) {
          const has = ofOrganisation(guest) + (offered.get(guest.orgId) ?? 0);
          const isFree = moreFor(has, free) > countOf(listenerId);
          if (isFree) {
            hooks.delete(listenerId);
            count -= 1;
            free -= 1;
            addTo(offered, guest.orgId, 1);
          }
          atMost.set(listenerId, isFree ? 1 : 0);
        }
        if (hooks.size === 0) passedOver.delete(host);
      }
      return atMost;
    },
  };
}

/** So many more for an organisation that has so many, where so many are free. */
const moreFor = (has: number, free: number): number => Math.floor((timesLeft * free - has + 1) / (timesLeft + 1));

const organisationAt = ({ host, orgId }: Guest): string => `${host}/${orgId}`;
