import { addressOf } from '../../listener-address.js';
import type { HostConnections, ListenerAtHost } from '../leasing.js';

/** Each costs the queue an index entry. Further listeners are leased, and wait for a connection or are released. */
const maxRefused = 1_000;
const maxRatioToLeft = 4;

type Counts = { has: number; ofOrganisation: number; free: number };

export const organisationAt = (host: string, orgId: string): string => `${host}/${orgId}`;

export const connectionCounts = (
  { perHost, byHost, byOrganisation, byListener }: HostConnections,
  { listenerId, orgId, hookUrl }: ListenerAtHost,
): Counts => {
  const { host } = addressOf(hookUrl);
  return {
    has: byListener.get(listenerId) ?? 0,
    ofOrganisation: byOrganisation.get(organisationAt(host, orgId)) ?? 0,
    free: perHost - (byHost.get(host) ?? 0),
  };
};

export const moreFor = (has: number, free: number): number =>
  Math.floor((maxRatioToLeft * free - has + 1) / (maxRatioToLeft + 1));

export const mayConnect = ({ has, ofOrganisation, free }: Counts): boolean =>
  ofOrganisation === 0 || has < moreFor(ofOrganisation, free);

/** The number of connections in a row that `mayConnect` allows: each takes one of those left and adds one to those of the listener. */
const connectable = ({ has, ofOrganisation, free }: Counts): number =>
  Math.max(ofOrganisation === 0 ? 1 : 0, Math.ceil((moreFor(ofOrganisation, free) - has) / 2));

/** Taken deliveries count as connections, so that each gets one. */
export class HostCapacity {
  constructor(
    private readonly connections: HostConnections,
    private readonly taken = new Map<string, number>(), // by host, by organisation at a host, and by listener ID
    private readonly refused = { listeners: new Set<string>(), hosts: new Set<string>() }, // also by copies
  ) {}

  /** `most` is positive. */
  of(listener: ListenerAtHost, most: number): number {
    const { listeners, hosts } = this.refused;
    const { listenerId } = listener;
    if (listeners.size >= maxRefused && !listeners.has(listenerId)) return most;
    const { host, keys } = keysOf(listener);
    const [atHost, ofOrganisation, has] = keys.map((key) => this.taken.get(key) ?? 0) as [number, number, number];
    const counts = connectionCounts(this.connections, listener);
    const free = counts.free - atHost;
    const capacity = connectable({
      has: counts.has + has,
      ofOrganisation: counts.ofOrganisation + ofOrganisation,
      free,
    });
    const more = Math.max(0, Math.min(most, free, capacity));
    if (more < most) hosts.add(host);
    if (more === 0) listeners.add(listenerId);
    return more;
  }

  take(listener: ListenerAtHost, count: number): void {
    for (const key of keysOf(listener).keys) this.taken.set(key, (this.taken.get(key) ?? 0) + count);
  }

  /** A bounded number: capacity never grows during a request. */
  refusedListeners(): readonly string[] {
    return [...this.refused.listeners];
  }

  saturatedHosts(): readonly string[] {
    return [...this.refused.hosts];
  }

  copy(): HostCapacity {
    return new HostCapacity(this.connections, new Map(this.taken), this.refused);
  }
}

function keysOf({ listenerId, orgId, hookUrl }: ListenerAtHost) {
  const { host } = addressOf(hookUrl);
  return { host, keys: [`${host}/`, organisationAt(host, orgId), listenerId] }; // organisation IDs are not empty
}
