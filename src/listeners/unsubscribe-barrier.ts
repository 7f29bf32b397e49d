/** Stops deliveries to a listener that has been removed. */
export type UnsubscribeBarrier = {
  /**
   * Once it resolves, no delivery to this listener starts, and its waiting deliveries are cancelled. Idempotent: the
   * platform's retry completes a close that a crash interrupted.
   */
  readonly close: (listenerId: string) => Promise<unknown>;
};
