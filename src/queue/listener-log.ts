import type { QueuedListener } from './delivery.js';
import type { ListenerHealth } from './policy/listener-health.js';

/** Query of listeners in trouble; without `orgId`, of all organisations. */
export type TroubleQuery = { dueBefore: number; limit: number; orgId?: string };

export interface ListenerStates {
  /** Unknown listeners are left out. */
  listenerStates(listenerIds: readonly string[]): Promise<ReadonlyMap<string, ListenerState>>;
}

export interface ListenerLog extends ListenerStates {
  /**
   * First listeners with an open circuit breaker, then those paused while failing, then those with deliveries due since
   * before `dueBefore`, the longest first. A listener that waits only for its own rate is none of them.
   */
  listenersInTrouble(query: TroubleQuery): Promise<readonly ListenerInTrouble[]>;
  /**
   * Waiting and held deliveries by listener, the most first. On servers, without `orgId` and `listenerId`, the held ones
   * of a listener that has been resumed are left out.
   */
  backlog(query: BacklogQuery): Promise<readonly ListenerBacklog[]>;
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

/** Times in milliseconds since 1970. */
export type ListenerInTrouble = Pick<QueuedListener, 'listenerId' | 'orgId' | 'hookUrl'> & {
  health: ListenerHealth;
  paused: boolean;
  dueSince: number | undefined;
};

export type BacklogQuery = {
  orgId?: string;
  listenerId?: string;
  limit: number;
};

export type ListenerBacklog = Pick<QueuedListener, 'listenerId' | 'orgId' | 'hookUrl'> & {
  waiting: number;
  held: number;
};

export function mergeTroubled(
  groups: readonly (readonly ListenerInTrouble[])[],
  limit: number,
): readonly ListenerInTrouble[] {
  const byId = new Map<string, ListenerInTrouble>();
  for (const listener of groups.flat()) if (!byId.has(listener.listenerId)) byId.set(listener.listenerId, listener);
  return [...byId.values()].slice(0, limit);
}
