import type { LeaseStatus } from '../leases/leases.js';
import type { BuildName } from './build-name.js';
import type { SetAsideBuild } from './read-model.js';

/** The progress of a view, as this instance sees it. */
export type FollowerStatus = {
  readonly name: string;
  /** Undefined until there is a live build. */
  readonly build: BuildName | undefined;
  /** Everything up to here, inclusive, is in the view. */
  readonly position: bigint | undefined;
  readonly caughtUp: boolean;
  /** Events handled per second lately, where this instance keeps the view up to date. */
  readonly eventsPerSecond?: number;
  /** How long it has not been caught up, as seen by this instance. */
  readonly behindSeconds?: number;
  /** The error that stops the view, and its position; it is retried. */
  readonly error?: { readonly message: string; readonly position: bigint | undefined };
  /** The damaged build that was set aside, while the view is built again. */
  readonly setAside?: SetAsideBuild;
  /** Number of builds that were set aside since this instance keeps the view up to date. */
  readonly setAsides?: number;
  /** Which instance keeps it up to date, where there are several. */
  readonly lease?: LeaseStatus;
};

/** Reports the progress of a view that this instance keeps up to date, or watches while another does. */
export type Follower = {
  readonly status: () => FollowerStatus;
  /**
   * Resolves once queries see everything up to this position. Rejects with the signal's reason, or with
   * `StoreUnavailable` where the follower is stopped first.
   */
  readonly passed: (position: bigint, signal?: AbortSignal) => Promise<void>;
  /** Ends it after the current batch. */
  readonly stop: () => Promise<void>;
};
