/** What stands between a hook that has been removed and the deliveries that are on their way to it. */
export type UnsubscribeBarrier = {
  /**
   * Once it resolves, no delivery to this listener starts any more, and what waited is cancelled. May be repeated: a
   * repeat does it all again, so that what a crash left open is closed by the platform's retry.
   */
  readonly close: (listenerId: string) => Promise<unknown>;
};
