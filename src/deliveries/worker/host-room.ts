import { addressOf } from '../posting/listener-address.js';
import type { HostRoom, ListenerAtHost } from '../queue/leasing.js';
import { addTo } from './counts.js';

/**
 * Maximum number of listeners that a lease request passes over for want of a connection: each costs the queue an index entry. Further
 * ones are leased, and wait for a connection or are given back.
 */
const maxRefused = 1_000;
/** Maximum ratio of an organisation's connections to those left for others. */
const maxRatioToLeft = 4;

/** A listener that has connections of a host, or waits for one. */
export type HostListener = { readonly host: string; readonly listenerId: string; readonly orgId: string };

/** The connections in use. */
export type ConnectionCounts = {
  readonly free: (host: string) => number;
  readonly ofOrganisation: (listener: HostListener) => number;
  readonly ofListener: (listenerId: string) => number;
};

export const hostListenerOf = ({ listenerId, orgId, hookUrl }: ListenerAtHost): HostListener => ({
  host: addressOf(hookUrl).host,
  listenerId,
  orgId,
});

export const organisationAt = ({ host, orgId }: HostListener): string => `${host}/${orgId}`;

/** How many more connections an organisation with `has` may get of the `free` ones. */
export const moreFor = (has: number, free: number): number =>
  Math.floor((maxRatioToLeft * free - has + 1) / (maxRatioToLeft + 1));

/** The connections that a listener and its organisation have at a host, and those that are free there. */
type Counts = { readonly has: number; readonly ofOrganisation: number; readonly free: number };

/** Whether a listener may get a connection if one is free. */
export const mayConnect = ({ has, ofOrganisation, free }: Counts): boolean =>
  ofOrganisation === 0 || has < moreFor(ofOrganisation, free);

/** How many connections in a row `mayConnect` allows: each takes one of those left and adds one to those of the listener. */
const connectable = ({ has, ofOrganisation, free }: Counts): number =>
  Math.max(ofOrganisation === 0 ? 1 : 0, Math.ceil((moreFor(ofOrganisation, free) - has) / 2));

/**
 * The room at hosts for one lease request: what it takes counts as connections, so that every delivery that is leased within it
 * gets one. `onRefused` is called with a host that has none for a listener.
 */
export function hostRoom(
  connections: ConnectionCounts,
  onRefused: (host: string) => void,
  taken = new Map<string, number>(), // by host, by organisation at a host, and by listener ID
  refused = new Set<string>(), // listener IDs; also of copies
): HostRoom {
  const takenOf = (name: string): number => taken.get(name) ?? 0;
  const hostKey = ({ host }: HostListener): string => `${host}/`; // organisation IDs are not empty

  return {
    of(at, most) {
      if (refused.size >= maxRefused && !refused.has(at.listenerId)) return most;
      const listener = hostListenerOf(at);
      const has = connections.ofListener(listener.listenerId) + takenOf(listener.listenerId);
      const ofOrganisation = connections.ofOrganisation(listener) + takenOf(organisationAt(listener));
      const free = connections.free(listener.host) - takenOf(hostKey(listener));
      const more = Math.max(0, Math.min(most, free, connectable({ has, ofOrganisation, free })));
      if (more < most) onRefused(listener.host);
      if (more === 0) refused.add(listener.listenerId);
      return more;
    },
    take(at, count) {
      const listener = hostListenerOf(at);
      for (const name of [hostKey(listener), organisationAt(listener), listener.listenerId]) addTo(taken, name, count);
    },
    refused: () => [...refused],
    copy: () => hostRoom(connections, onRefused, new Map(taken), refused),
  };
}
