import { addressOf } from '../posting/hook-address.js';
import type { LeasedDelivery } from '../queue/leasing.js';
import { addTo } from './counts.js';
import type { HostSemaphore } from './host-semaphore.js';

/** Maximum number of skipped hooks: a lease request names them all. */
const maxSkipped = 1_000;
/** Maximum ratio of an organisation's connections to those left for others. */
const maxRatioToLeft = 4;

/**
 * Shares a host's connections fairly among organisations, and an organisation's among its hooks: each may take only as many more
 * as it leaves for others, so that hooks that hang do not take all connections, and newcomers find one. Hooks that got no connection
 * are skipped in the next leases, so that other hooks get the slots.
 */
export type SaturatedHosts = {
  /** Acquires a connection for a request to the delivery's hook: returns the function that releases it, undefined if none is free. */
  readonly acquire: (delivery: LeasedDelivery) => ReturnType<HostSemaphore['acquire']> | undefined;
  /** Skips the delivery's hook until its host has a free connection. */
  readonly skip: (delivery: LeasedDelivery) => void;
  /** Whether a hook at the delivery's host may be waiting for the connection that this delivery releases. */
  readonly isAwaited: (delivery: LeasedDelivery) => boolean;
  /**
   * Maximum number of further deliveries of hooks at hosts in use: 0 for skipped hooks. As many skipped hooks of a host as it
   * has free connections are allowed one delivery each again: further ones would only be released.
   */
  readonly hookLimits: () => Map<string, number>;
};

/** A hook that has connections of a host, or waits for one. */
type HostHook = { readonly host: string; readonly listenerId: string; readonly orgId: string };

export function saturatedHosts(semaphore: HostSemaphore): SaturatedHosts {
  const skipped = new Map<string, Map<string, HostHook>>(); // by host and hook, those that have waited longest first
  const connectionsOf = new Map<string, { readonly hook: HostHook; count: number }>(); // by hook
  const connectionsOfOrganisation = new Map<string, number>(); // see `organisationAt`
  let count = 0;
  const countOf = (listenerId: string): number => connectionsOf.get(listenerId)?.count ?? 0;

  const hookOf = ({ listenerId, orgId, hookUrl }: LeasedDelivery): HostHook => ({
    host: addressOf(hookUrl).host,
    listenerId,
    orgId,
  });

  const ofOrganisation = (hook: HostHook): number => connectionsOfOrganisation.get(organisationAt(hook)) ?? 0;
  /** How many more connections the hook's organisation may have. */
  const left = (hook: HostHook): number => moreFor(ofOrganisation(hook), semaphore.available(hook.host));

  function hold(hook: HostHook, release: () => void): () => void {
    const connections = connectionsOf.get(hook.listenerId) ?? { hook, count: 0 };
    connectionsOf.set(hook.listenerId, connections);
    connections.count += 1;
    addTo(connectionsOfOrganisation, organisationAt(hook), 1);
    return () => {
      connections.count -= 1;
      if (connections.count === 0) connectionsOf.delete(hook.listenerId);
      addTo(connectionsOfOrganisation, organisationAt(hook), -1);
      release();
    };
  }

  return {
    acquire(delivery) {
      const hook = hookOf(delivery);
      const { host, listenerId } = hook;
      // Where no more can be skipped, waiting keeps the same deliveries from being leased and given back on and on.
      const patient = count >= maxSkipped;
      if (ofOrganisation(hook) > 0 && countOf(listenerId) >= left(hook) && !patient) return undefined;
      const release = semaphore.acquire(host, patient);
      if (!(release instanceof Promise)) return hold(hook, release);
      return release.then((given) => given && hold(hook, given));
    },
    skip(delivery) {
      const hook = hookOf(delivery);
      const { host, listenerId } = hook;
      const hooks = skipped.get(host) ?? new Map();
      if (hooks.has(listenerId) || count >= maxSkipped) return;
      skipped.set(host, hooks.set(listenerId, hook));
      count += 1;
    },
    isAwaited({ hookUrl }) {
      const { host } = addressOf(hookUrl);
      return skipped.has(host) || semaphore.isHalfAcquired(host);
    },
    hookLimits() {
      const limits = new Map<string, number>();
      for (const [listenerId, { hook, count }] of connectionsOf) {
        limits.set(listenerId, Math.max(0, Math.ceil((left(hook) - count) / 2)));
      }
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

/** How many more connections an organisation with `has` may get of the `free` ones. */
const moreFor = (has: number, free: number): number =>
  Math.floor((maxRatioToLeft * free - has + 1) / (maxRatioToLeft + 1));

const organisationAt = ({ host, orgId }: HostHook): string => `${host}/${orgId}`;
