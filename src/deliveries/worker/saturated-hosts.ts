import { addressOf } from '../posting/hook-address.js';
import type { HostRoom, LeasedDelivery } from '../queue/leasing.js';
import { addTo } from './counts.js';
import {
  type ConnectionCounts,
  type HostHook,
  hostHookOf,
  hostRoom,
  mayConnect,
  moreFor,
  organisationAt,
} from './host-room.js';
import type { HostSemaphore } from './host-semaphore.js';

/** Maximum number of skipped hooks: a lease request names them all. */
const maxSkipped = 1_000;

/**
 * Shares a host's connections fairly among organisations, and an organisation's among its hooks: each may take only as many more
 * as it leaves for others, so that hooks that hang do not take all connections, and newcomers find one. A lease request takes no more
 * deliveries than get a connection; hooks that got none all the same are skipped in the next leases.
 */
export type SaturatedHosts = {
  /** Acquires a connection for a request to the delivery's hook: returns the function that releases it, undefined if none is free. */
  readonly acquire: (delivery: LeasedDelivery) => ReturnType<HostSemaphore['acquire']> | undefined;
  /** Skips the delivery's hook until its host has a free connection. */
  readonly skip: (delivery: LeasedDelivery) => void;
  /** Whether a hook at the delivery's host may be waiting for the connection that this delivery releases. */
  readonly isAwaited: (delivery: LeasedDelivery) => boolean;
  /** The room for the next lease request. */
  readonly room: () => HostRoom;
  /**
   * Maximum number of further deliveries of skipped hooks: 0. As many skipped hooks of a host as it has free connections are
   * allowed one delivery each again: further ones would only be released.
   */
  readonly hookLimits: () => Map<string, number>;
};

export function saturatedHosts(semaphore: HostSemaphore): SaturatedHosts {
  const skipped = new Map<string, Map<string, HostHook>>(); // by host and hook, those that have waited longest first
  const connectionsOf = new Map<string, number>(); // by hook
  const connectionsOfOrganisation = new Map<string, number>(); // see `organisationAt`
  let count = 0;
  const countOf = (listenerId: string): number => connectionsOf.get(listenerId) ?? 0;

  const ofOrganisation = (hook: HostHook): number => connectionsOfOrganisation.get(organisationAt(hook)) ?? 0;
  const connections: ConnectionCounts = { free: semaphore.available, ofOrganisation, ofHook: countOf };
  /** Hosts that had no room for a hook in the last lease request. */
  const refusing = new Set<string>();

  function hold(hook: HostHook, release: () => void): () => void {
    addTo(connectionsOf, hook.listenerId, 1);
    addTo(connectionsOfOrganisation, organisationAt(hook), 1);
    return () => {
      addTo(connectionsOf, hook.listenerId, -1);
      addTo(connectionsOfOrganisation, organisationAt(hook), -1);
      release();
    };
  }

  return {
    acquire(delivery) {
      const hook = hostHookOf(delivery);
      const { host, listenerId } = hook;
      // Where no more can be skipped, waiting keeps the same deliveries from being leased and given back on and on.
      const patient = count >= maxSkipped;
      const counts = {
        has: countOf(listenerId),
        ofOrganisation: ofOrganisation(hook),
        free: semaphore.available(host),
      };
      if (!mayConnect(counts) && !patient) return undefined;
      const release = semaphore.acquire(host, patient);
      if (!(release instanceof Promise)) return hold(hook, release);
      return release.then((given) => given && hold(hook, given));
    },
    skip(delivery) {
      const hook = hostHookOf(delivery);
      const { host, listenerId } = hook;
      const hooks = skipped.get(host) ?? new Map();
      if (hooks.has(listenerId) || count >= maxSkipped) return;
      skipped.set(host, hooks.set(listenerId, hook));
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
    hookLimits() {
      const limits = new Map<string, number>();
      for (const [host, hooks] of skipped) {
        let free = semaphore.available(host);
        const offered = new Map<string, number>(); // by organisation
        for (const [listenerId, hook] of hooks) {
          const has = ofOrganisation(hook) + (offered.get(hook.orgId) ?? 0);
          const isFree = moreFor(has, free) > countOf(listenerId);
          if (isFree) {
            hooks.delete(listenerId);
            count -= 1;
            free -= 1;
            addTo(offered, hook.orgId, 1);
          }
          limits.set(listenerId, isFree ? 1 : 0);
        }
        if (hooks.size === 0) skipped.delete(host);
      }
      return limits;
    },
  };
}
