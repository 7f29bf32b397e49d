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

/** `next`: undefined where nothing old is left to be examined. */
export type Forgotten = { readonly forgotten: number; readonly next: string | undefined };

/** The part of the queue that follows what happens to listeners: listeners, replays and organisations end. */
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
}
