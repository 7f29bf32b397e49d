import type { QueuedListener } from './delivery.js';
import type { ListenerHealth } from './policy/listener-health.js';

/** The size of one step of a purge. */
export type PurgeRequest = {
  /** Milliseconds since 1970, by the callers' clock. */
  readonly before: number;
  /** Maximum number of deliveries. */
  readonly limit: number;
  /**
   * Maximum duration of a step that runs on the calling thread, in milliseconds; it removes at least one delivery, however
   * large its body. A step that a server executes blocks no thread: only `limit` applies to it.
   */
  readonly withinMs?: number;
};

/** One step of a walk over old records. `after`: the `next` of the step before; undefined for the first one. */
export type ForgetRequest = PurgeRequest & { readonly after?: string | undefined };

/** `next`: undefined if no old record is left to examine. */
export type Forgotten = { readonly forgotten: number; readonly next: string | undefined };

/** `dueBefore`: milliseconds since 1970; `limit`: of all listeners together. `orgId`: only listeners of this organisation. */
export type TroubleQuery = { readonly dueBefore: number; readonly limit: number; readonly orgId?: string | undefined };

/** The listeners of the queue, and the removal of what ended: listeners, replays, organisations, old records. */
export interface ListenerRegistry {
  /**
   * Closes a listener's gate for good: its deliveries are not leased any more, and those that wait are cancelled. Returns the
   * number of cancelled deliveries. Repeatable.
   */
  closeGate(listenerId: string): Promise<number>;
  /** The listener IDs whose gates are not known to be open: that of a listener which the queue has lost counts as closed. */
  closedGates(listenerIds: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Cancels the waiting and held deliveries of a replay, and those of it that are enqueued later. Returns the number of
   * cancelled deliveries. Repeatable.
   */
  cancelReplay(replay: string): Promise<number>;
  /**
   * Removes deliveries that ended before a time, with their attempts, and the bodies of events without deliveries; held
   * deliveries stay. One step at a time, so that other calls do not wait long. Returns the number of removed deliveries; 0:
   * none are left.
   */
  purge(request: PurgeRequest): Promise<number>;
  /**
   * Removes flow events that were recorded before a time and have no deliveries: from then on an event with such an id is
   * a new one. Raises the checkpoint of `forgottenReader` past the removed positions. Events of an unknown time count as
   * recorded `now`. `limit`: maximum number of events examined.
   */
  forgetPublished(request: ForgetRequest & { readonly now: number }): Promise<Forgotten>;
  /** Removes the statistics of the days that ended before a time. `limit`: maximum number of listeners, or of rows. */
  forgetDays(request: ForgetRequest): Promise<Forgotten>;
  /**
   * Removes an organisation: its deliveries in all states, flow events, statistics and listeners; closed gates stay. One step at a
   * time, so that other calls do not wait long. Returns the number of removed rows; fewer than the limit: none are left.
   * Deliveries that are enqueued for the organisation later are accepted.
   */
  forgetOrganisation(request: { readonly orgId: string; readonly limit: number }): Promise<number>;
  /** Health and waiting of these listeners, by listener ID; listeners that the queue does not know are left out. */
  listenerStates(listenerIds: readonly string[]): Promise<ReadonlyMap<string, ListenerState>>;
  /**
   * Listeners of all organisations, or one, whose deliveries do not get through: first those with an open circuit breaker, then those that
   * are paused and failed until then, then those with deliveries that are due since before `dueBefore`, the longest first.
   */
  listenersInTrouble(query: TroubleQuery): Promise<readonly ListenerInTrouble[]>;
  /** Number of listeners whose circuit breaker is open or being probed, up to 1,000. */
  openBreakers(): Promise<number>;
}

/** The state of a listener that decides when its deliveries are leased. Times in milliseconds since 1970. */
export type ListenerState = {
  readonly health: ListenerHealth;
  readonly paused: boolean;
  /** ID of an ordered listener's next delivery; undefined if none waits, or the listener is not ordered. */
  readonly head: string | undefined;
  /** End of the delay of due deliveries by health or rate; undefined if the last lease delayed none. */
  readonly keptBackUntil: number | undefined;
};

/** A listener whose deliveries do not get through. Times in milliseconds since 1970. */
export type ListenerInTrouble = Pick<QueuedListener, 'listenerId' | 'orgId' | 'hookUrl'> & {
  readonly health: ListenerHealth;
  readonly paused: boolean;
  /** Due time of its longest waiting delivery; undefined if none waits. */
  readonly dueSince: number | undefined;
};

/** The first listeners of the groups in their order, each once. */
export function mergeTroubled(
  groups: readonly (readonly ListenerInTrouble[])[],
  limit: number,
): readonly ListenerInTrouble[] {
  const byId = new Map<string, ListenerInTrouble>();
  for (const listener of groups.flat()) if (!byId.has(listener.listenerId)) byId.set(listener.listenerId, listener);
  return [...byId.values()].slice(0, limit);
}
