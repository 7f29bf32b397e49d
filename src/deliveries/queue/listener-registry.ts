import type { QueuedListener } from './delivery.js';
import type { ListenerHealth } from './policy/listener-health.js';

export type PurgeRequest = {
  before: number;
  limit: number;
  /**
   * Maximum duration of a step on the calling thread; it removes at least one delivery. A step that a server executes
   * is bounded by `limit` alone.
   */
  withinMs?: number;
};

/** `after`: the `next` of the step before. */
export type ForgetRequest = PurgeRequest & { after?: string };

/** `next`: undefined at the end of the walk. */
export type Forgotten = { forgotten: number; next: string | undefined };

/** Without `orgId`, of all organisations. */
export type TroubleQuery = { dueBefore: number; limit: number; orgId?: string };

export interface ListenerRegistry {
  /** Closes a gate for good and cancels what waits. Returns the number of cancelled deliveries. Repeatable. */
  closeGate(listenerId: string): Promise<number>;
  /** The listener IDs whose gates are not known to be open: that of a listener which the queue has lost counts as closed. */
  closedGates(listenerIds: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Also cancels deliveries of the replay that are enqueued later. Returns the number of cancelled deliveries.
   * Repeatable.
   */
  cancelReplay(replay: string): Promise<number>;
  /**
   * Removes one step of deliveries that ended before a time, with their attempts and unused bodies. Returns their
   * number; 0: none are left.
   */
  purge(request: PurgeRequest): Promise<number>;
  /**
   * Removes flow events without deliveries that were recorded before a time, so that their ids are new again, and
   * raises the checkpoint `forgottenReader`. Events of an unknown time count as recorded `now`.
   */
  forgetPublished(request: ForgetRequest & { now: number }): Promise<Forgotten>;
  /** Removes the terms of flow events whose contents are about to be deleted. Repeatable. */
  forgetTerms(request: { orgId: string; eventIds: readonly string[] }): Promise<void>;
  /** `limit`: of listeners, or of rows. */
  forgetDays(request: ForgetRequest): Promise<Forgotten>;
  /** Removes statistics of half hours that began before a time, as `purge` does. */
  forgetHalfHours(request: PurgeRequest): Promise<number>;
  /**
   * Removes one step of an organisation's data; closed gates stay, and later deliveries are accepted. Returns the
   * number of removed rows; fewer than the limit: none are left.
   */
  forgetOrganisation(request: { orgId: string; limit: number }): Promise<number>;
  /** Unknown listeners are left out. */
  listenerStates(listenerIds: readonly string[]): Promise<ReadonlyMap<string, ListenerState>>;
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
  /** Open or being probed, up to 1,000. */
  openBreakers(): Promise<number>;
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
