import { addressOf } from '../posting/hook-address.js';
import type { HookAtHost, HostRoom } from '../queue/leasing.js';
import { addTo } from './counts.js';

/**
 * Maximum number of hooks that a lease request passes over for want of a connection: each costs the queue an index entry. Further
 * ones are leased, and wait for a connection or are given back.
 */
const maxRefused = 1_000;
/** Maximum ratio of an organisation's connections to those left for others. */
const maxRatioToLeft = 4;

/** A hook that has connections of a host, or waits for one. */
export type HostHook = { readonly host: string; readonly listenerId: string; readonly orgId: string };

/** The connections in use. */
export type ConnectionCounts = {
  readonly free: (host: string) => number;
  readonly ofOrganisation: (hook: HostHook) => number;
  readonly ofHook: (listenerId: string) => number;
};

export const hostHookOf = ({ listenerId, orgId, hookUrl }: HookAtHost): HostHook => ({
  host: addressOf(hookUrl).host,
  listenerId,
  orgId,
});

export const organisationAt = ({ host, orgId }: HostHook): string => `${host}/${orgId}`;

/** How many more connections an organisation with `has` may get of the `free` ones. */
export const moreFor = (has: number, free: number): number =>
  Math.floor((maxRatioToLeft * free - has + 1) / (maxRatioToLeft + 1));

/** The connections that a hook and its organisation have at a host, and those that are free there. */
type Counts = { readonly has: number; readonly ofOrganisation: number; readonly free: number };

/** Whether a hook may get a connection if one is free. */
export const mayConnect = ({ has, ofOrganisation, free }: Counts): boolean =>
  ofOrganisation === 0 || has < moreFor(ofOrganisation, free);

/** How many connections in a row `mayConnect` allows: each takes one of those left and adds one to those of the hook. */
const connectable = ({ has, ofOrganisation, free }: Counts): number =>
  Math.max(ofOrganisation === 0 ? 1 : 0, Math.ceil((moreFor(ofOrganisation, free) - has) / 2));

/**
 * The room at hosts for one lease request: what it takes counts as connections, so that every delivery that is leased within it
 * gets one. `onRefused` is called with a host that has none for a hook.
 */
export function hostRoom(
  connections: ConnectionCounts,
  onRefused: (host: string) => void,
  taken = new Map<string, number>(), // by host, by organisation at a host, and by listener ID
  refused = new Set<string>(), // listener IDs; also of copies
): HostRoom {
  const takenOf = (name: string): number => taken.get(name) ?? 0;
  const hostKey = ({ host }: HostHook): string => `${host}/`; // organisation IDs are not empty

  return {
    of(at, most) {
      if (refused.size >= maxRefused && !refused.has(at.listenerId)) return most;
      const hook = hostHookOf(at);
      const has = connections.ofHook(hook.listenerId) + takenOf(hook.listenerId);
      const ofOrganisation = connections.ofOrganisation(hook) + takenOf(organisationAt(hook));
      const free = connections.free(hook.host) - takenOf(hostKey(hook));
      const more = Math.max(0, Math.min(most, free, connectable({ has, ofOrganisation, free })));
      if (more < most) onRefused(hook.host);
      if (more === 0) refused.add(hook.listenerId);
      return more;
    },
    take(at, count) {
      const hook = hostHookOf(at);
      for (const name of [hostKey(hook), organisationAt(hook), hook.listenerId]) addTo(taken, name, count);
    },
    refused: () => [...refused],
    copy: () => hostRoom(connections, onRefused, new Map(taken), refused),
  };
}
