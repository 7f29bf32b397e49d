import { addressOf } from '../listener-address.js';
import type { HostConnections, LeasedDelivery, ListenerAtHost } from '../queue/leasing.js';
import { connectionCounts, mayConnect, moreFor, organisationAt } from '../queue/policy/host-capacity.js';
import { addTo } from './attempts-in-flight.js';
import type { HostSemaphore } from './host-semaphore.js';

/** A lease request names them all. */
const maxSkipped = 1_000;

/**
 * Shares a host's connections among organisations, and an organisation's among its listeners: each gets only as many
 * more as it leaves for others. Listeners that got none are skipped in the next leases.
 */
export type SaturatedHosts = {
  /** Returns the function that releases the connection, undefined if none is free. */
  acquire: (delivery: LeasedDelivery) => ReturnType<HostSemaphore['acquire']> | undefined;
  skip: (delivery: LeasedDelivery) => void;
  isAwaited: (delivery: LeasedDelivery) => boolean;
  connections: () => HostConnections;
  /** Returns whether one of the request's saturated hosts has released a connection since. */
  setSaturated: (hosts: readonly string[]) => boolean;
  /** 0 for skipped listeners, and 1 for as many of a host as it has free connections. */
  listenerLimits: () => Map<string, number>;
};

export function saturatedHosts(semaphore: HostSemaphore): SaturatedHosts {
  const skipped = new Map<string, Map<string, ListenerAtHost>>(); // by host and listener, those that have waited longest first
  let count = 0;
  const byOrganisation = new Map<string, number>();
  const byListener = new Map<string, number>();
  const connections: HostConnections = {
    perHost: semaphore.perHost,
    byHost: semaphore.inUse,
    byOrganisation,
    byListener,
  };
  let saturated: ReadonlySet<string> = new Set();
  /** Hosts released since the last lease request. */
  const released = new Set<string>();

  function hold({ listenerId, orgId, hookUrl }: ListenerAtHost, release: () => void): () => void {
    const { host } = addressOf(hookUrl);
    const organisation = organisationAt(host, orgId);
    addTo(byListener, listenerId, 1);
    addTo(byOrganisation, organisation, 1);
    return () => {
      addTo(byListener, listenerId, -1);
      addTo(byOrganisation, organisation, -1);
      released.add(host);
      release();
    };
  }

  return {
    acquire(delivery) {
      // Waiting keeps the same deliveries from being leased and released on and on.
      const patient = count >= maxSkipped;
      if (!mayConnect(connectionCounts(connections, delivery)) && !patient) return undefined;
      const release = semaphore.acquire(addressOf(delivery.hookUrl).host, patient);
      if (!(release instanceof Promise)) return hold(delivery, release);
      return release.then((given) => given && hold(delivery, given));
    },
    skip({ listenerId, orgId, hookUrl }) {
      const { host } = addressOf(hookUrl);
      const listeners = skipped.get(host) ?? new Map();
      if (listeners.has(listenerId) || count >= maxSkipped) return;
      skipped.set(host, listeners.set(listenerId, { listenerId, orgId, hookUrl }));
      count += 1;
    },
    isAwaited({ hookUrl }) {
      const { host } = addressOf(hookUrl);
      return skipped.has(host) || saturated.has(host) || semaphore.isHalfAcquired(host);
    },
    connections() {
      released.clear();
      return connections;
    },
    setSaturated(hosts) {
      saturated = new Set(hosts);
      return hosts.some((host) => released.has(host));
    },
    listenerLimits() {
      const limits = new Map<string, number>();
      for (const [host, listeners] of skipped) {
        let free = semaphore.available(host);
        const offered = new Map<string, number>(); // by organisation
        for (const [listenerId, listener] of listeners) {
          const { has, ofOrganisation } = connectionCounts(connections, listener);
          const isFree = moreFor(ofOrganisation + (offered.get(listener.orgId) ?? 0), free) > has;
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
