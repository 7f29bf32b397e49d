import type { LeaseStatus } from '../leases/leases.js';
import type { BuildName } from './build-name.js';
import type { SetAsideBuild } from './read-model.js';

/** As this instance sees it. */
export type FollowerStatus = {
  readonly name: string;
  /** Undefined until there is a live build. */
  readonly build: BuildName | undefined;
  /** Inclusive. */
  readonly position: bigint | undefined;
  readonly caughtUp: boolean;
  /** Recent rate, where this instance keeps the view up to date. */
  readonly eventsPerSecond?: number;
  /** Time since it was last caught up, as seen by this instance. */
  readonly behindSeconds?: number;
  /** The error that stops the view; it is retried. */
  readonly error?: { readonly message: string; readonly position: bigint | undefined };
  /** While the view is built again. */
  readonly setAside?: SetAsideBuild;
  /** Since this instance keeps the view up to date. */
  readonly setAsides?: number;
  readonly lease?: LeaseStatus;
};

export type Follower = {
  readonly status: () => FollowerStatus;
  /**
   * Resolves once queries see everything up to this position. Rejects with the signal's reason, or `StoreUnavailable`
   * on `stop`.
   */
  readonly passed: (position: bigint, signal?: AbortSignal) => Promise<void>;
  /** Ends it after the current batch. */
  readonly stop: () => Promise<void>;
};
