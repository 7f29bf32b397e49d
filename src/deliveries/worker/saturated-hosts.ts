import { addressOf } from '../posting/listener-address.js';
import type { HostRoom, LeasedDelivery } from '../queue/leasing.js';
import { addTo } from './counts.js';
import {
  type ConnectionCounts,
  type HostListener,
  hostListenerOf,
  hostRoom,
  mayConnect,
  moreFor,
  organisationAt,
} from './host-room.js';
import type { HostSemaphore } from './host-semaphore.js';

/** Maximum number of skipped listeners: a lease request names them all. */
const maxSkipped = 1_000;

/**
 * Shares a host's connections fairly among organisations, and an organisation's among its listeners: each may take only as many more
 * as it leaves for others, so that listeners that hang do not take all connections, and newcomers find one. A lease request takes no more
 * deliveries than get a connection; listeners that got none all the same are skipped in the next leases.
 */
export type SaturatedHosts = {
  /** Acquires a connection for a request to the delivery's listener: returns the function that releases it, undefined if none is free. */
  readonly acquire: (delivery: LeasedDelivery) => ReturnType<HostSemaphore['acquire']> | undefined;
  /** Skips the delivery's listener until its host has a free connection. */
  readonly skip: (delivery: LeasedDelivery) => void;
  /** Whether a listener at the delivery's host may be waiting for the connection that this delivery releases. */
  readonly isAwaited: (delivery: LeasedDelivery) => boolean;
  /** The room for the next lease request. */
  readonly room: () => HostRoom;
  /**
   * Maximum number of further deliveries of skipped listeners: 0. As many skipped listeners of a host as it has free connections are
   * allowed one delivery each again: further ones would only be released.
   */
  readonly listenerLimits: () => Map<string, number>;
};

export function saturatedHosts(semaphore: HostSemaphore): SaturatedHosts {
  const skipped = new Map<string, Map<string, HostListener>>(); // by host and listener, those that have waited longest first
  const connectionsOf = new Map<string, number>(); // by listener
  const connectionsOfOrganisation = new Map<string, number>(); // see `organisationAt`
  let count = 0;
  const countOf = (listenerId: string): number => connectionsOf.get(listenerId) ?? 0;

  const ofOrganisation = (listener: HostListener): number =>
    connectionsOfOrganisation.get(organisationAt(listener)) ?? 0;
  const connections: ConnectionCounts = { free: semaphore.available, ofOrganisation, ofListener: countOf };
  /** Hosts that had no room for a listener in the last lease request. */
  const refusing = new Set<string>();

  function hold(listener: HostListener, release: () => void): () => void {
    addTo(connectionsOf, listener.listenerId, 1);
    addTo(connectionsOfOrganisation, organisationAt(listener), 1);
    return () => {
      addTo(connectionsOf, listener.listenerId, -1);
      addTo(connectionsOfOrganisation, organisationAt(listener), -1);
      release();
    };
  }

  return {
    acquire(delivery) {
      const listener = hostListenerOf(delivery);
      const { host, listenerId } = listener;
      // Where no more can be skipped, waiting keeps the same deliveries from being leased and given back on and on.
      const patient = count >= maxSkipped;
      const counts = {
        has: countOf(listenerId),
        ofOrganisation: ofOrganisation(listener),
        free: semaphore.available(host),
      };
      if (!mayConnect(counts) && !patient) return undefined;
      const release = semaphore.acquire(host, patient);
      if (!(release instanceof Promise)) return hold(listener, release);
      return release.then((given) => given && hold(listener, given));
    },
    skip(delivery) {
      const listener = hostListenerOf(delivery);
      const { host, listenerId } = listener;
      const listeners = skipped.get(host) ?? new Map();
      if (listeners.has(listenerId) || count >= maxSkipped) return;
      skipped.set(host, listeners.set(listenerId, listener));
      count += 1;
    },
    isAwaited({ hookUrl }) {
      const { host } = addressOf(hookUrl);
      return skipped.has(host) || refusing.has(host) || semaphore.isHalfAcquired(host);
    },
    room() {
      refusing.clear();
      return hostRoom(connections, (host) => refusing.add(host));
    },
    listenerLimits() {
      const limits = new Map<string, number>();
      for (const [host, listeners] of skipped) {
        let free = semaphore.available(host);
        const offered = new Map<string, number>(); // by organisation
        for (const [listenerId, listener] of listeners) {
          const has = ofOrganisation(listener) + (offered.get(listener.orgId) ?? 0);
          const isFree = moreFor(has, free) > countOf(listenerId);
          if (isFree) {
            listeners.delete(listenerId);
            count -= 1;
            free -= 1;
            addTo(offered, listener.orgId, 1);
          }
          limits.set(listenerId, isFree ? 1 : 0);
        }
        if (listeners.size === 0) skipped.delete(host);
      }
      return limits;
    },
  };
}
