import type { QueuedListener } from './delivery.js';
import type { ListenerHealth } from './policy/listener-health.js';

/** Query of the listeners in trouble, or of those with a backlog; without `orgId`, of all organisations. */
export type ListenersQuery = TroubleQuery | BacklogQuery;

type OfOrganisation = { orgId?: string; limit: number };
export type TroubleQuery = OfOrganisation & { dueBefore: number };
export type BacklogQuery = OfOrganisation & { listenerId?: string };

export interface ListenerStates {
  /** Unknown listeners are left out. */
  listenerStates(listenerIds: readonly string[]): Promise<ReadonlyMap<string, ListenerState>>;
}

export interface ListenerLog extends ListenerStates {
  /**
   * Listeners in trouble: first those with an open circuit breaker, then those paused while failing, then those with deliveries due
   * since before `dueBefore`, the longest first. One that waits only for its own rate is none of them.
   *
   * Listeners with a backlog, waiting or held deliveries: the most first. On servers, without `orgId` and `listenerId`, the held ones of
   * a listener that has been resumed are left out.
   */
  listeners(query: ListenersQuery): Promise<readonly ListedListener[]>;
}

/** Times in milliseconds since 1970. */
export type ListenerState = {
  health: ListenerHealth;
  paused: boolean;
  /** An ordered listener's next delivery. */
  head: string | undefined;
  keptBackUntil: number | undefined;
  /** Earliest due time of its waiting deliveries. */
  nextDue?: number;
};

/** Times in milliseconds since 1970. `waiting`, `held`: numbers of its deliveries. */
export type ListedListener = Pick<QueuedListener, 'listenerId' | 'orgId' | 'hookUrl'> & {
  health: ListenerHealth;
  paused: boolean;
  dueSince: number | undefined;
  waiting: number;
  held: number;
};

export function mergeTroubled<Listener extends { listenerId: string }>(
  groups: readonly (readonly Listener[])[],
  limit: number,
): readonly Listener[] {
  const byId = new Map<string, Listener>();
  for (const listener of groups.flat()) if (!byId.has(listener.listenerId)) byId.set(listener.listenerId, listener);
  return [...byId.values()].slice(0, limit);
}
