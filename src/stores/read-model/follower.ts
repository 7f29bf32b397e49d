import type { LeaseStatus } from '../leases/leases.js';
import type { BuildName } from './build-name.js';

/** How far a view is, as this instance sees it. */
export type FollowerStatus = {
  readonly name: string;
  /** Undefined until there is a live build. */
  readonly build: BuildName | undefined;
  /** Everything up to here, inclusive, is in the view. */
  readonly position: bigint | undefined;
  readonly caughtUp: boolean;
  /** How many events it handles a second lately, where this instance keeps it up to date. */
  readonly eventsPerSecond?: number;
  /** For how long it has not been caught up, as this instance has seen it. */
  readonly behindSeconds?: number;
  /** What keeps the view from going on, and at which position; it is tried again and again. */
  readonly error?: { readonly message: string; readonly position: bigint | undefined };
  /** Which instance keeps it up to date, where several may. */
  readonly lease?: LeaseStatus;
};

/** Tells how far a view is: of one that this instance keeps up to date, or watches while another does. */
export type Follower = {
  readonly status: () => FollowerStatus;
  /**
   * Resolves once queries see everything up to this position. Rejects with the signal's reason, or with
   * `StoreUnavailable` where the follower is stopped first.
   */
  readonly passed: (position: bigint, signal?: AbortSignal) => Promise<void>;
  /** Ends it after the batch under way. */
  readonly stop: () => Promise<void>;
};
