import { addressOf } from '../listener-address.js';
import type { HostConnections, LeasedDelivery, ListenerAtHost } from '../queue/leasing.js';
import { connectionCounts, mayConnect, moreFor, organisationAt } from '../queue/policy/host-room.js';
import { addTo } from './attempts-in-flight.js';
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
  /** A listener at the delivery's host may be waiting for the connection that this delivery releases. */
  readonly isAwaited: (delivery: LeasedDelivery) => boolean;
  /** The connections in use, for the next lease request. */
  readonly connections: () => HostConnections;
  /** Notes the crowded hosts of that request. Returns whether one of them has released a connection since, so that it may have room now. */
  readonly noteCrowded: (hosts: readonly string[]) => boolean;
  /**
   * Maximum number of further deliveries of skipped listeners: 0. As many skipped listeners of a host as it has free connections are
   * allowed one delivery each again: further ones would only be released.
   */
  readonly listenerLimits: () => Map<string, number>;
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
  let crowded: ReadonlySet<string> = new Set();
  /** Hosts that have released a connection since the last lease request. */
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
      // Where no more can be skipped, waiting keeps the same deliveries from being leased and released on and on.
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
      return skipped.has(host) || crowded.has(host) || semaphore.isHalfAcquired(host);
    },
    connections() {
      released.clear();
      return connections;
    },
    noteCrowded(hosts) {
      crowded = new Set(hosts);
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
