import { StoreUnavailable } from '../kernel/store-errors.js';
import type { EventStore } from '../stores/event-store/event-store.js';
import type { LeaseStatus } from '../stores/leases/leases.js';
import type { BuildName, Projection } from './projection.js';
import type { SetAsideBuild } from './read-model.js';

/** Status as this instance sees it. */
export type FollowerStatus = {
  name: string;
  /** Undefined until there is a live build. */
  build: BuildName | undefined;
  /** Inclusive. */
  position: bigint | undefined;
  caughtUp: boolean;
  /** Recent rate, where this instance keeps the view up to date. */
  eventsPerSecond?: number;
  /** Time since it was last caught up, as seen by this instance. */
  behindSeconds?: number;
  /** The error that stops the view; it is retried. */
  error?: { message: string; position: bigint | undefined };
  /** While the view is built again. */
  setAside?: SetAsideBuild;
  /** Number since this instance keeps the view up to date. */
  setAsides?: number;
  lease?: LeaseStatus;
};

export type ObservedView = { status: () => FollowerStatus };

export type Follower = ObservedView & {
  /**
   * Resolves once queries see everything up to this position. Rejects with the signal's reason, or `StoreUnavailable`
   * on `stop`.
   */
  passed: (position: bigint, signal?: AbortSignal) => Promise<void>;
  /** Ends it after the current batch. */
  stop: () => Promise<void>;
};

/** The follower of a view. Throws if there is none. */
export function followerOf<Found extends ObservedView>({ name }: Projection, followers: readonly Found[]): Found {
  const follower = followers.find(({ status }) => status().name === name);
  if (!follower) throw new Error(`the view ${name} has no follower`);
  return follower;
}

/** A view that takes longer has stopped, or no process updates it. */
const viewTimeoutMs = 5_000;

/**
 * Waits until a view has processed all present events of a category. `viewPassed` rejects with the signal's reason when
 * it aborts. Throws `StoreUnavailable` after 5 s.
 */
export const viewCaughtUp =
  (store: EventStore, category: string, viewPassed: (position: bigint, signal: AbortSignal) => Promise<void>) =>
  async (): Promise<void> => {
    const last = { filter: { categories: [category] }, direction: 'backwards', limit: 1 } as const;
    for await (const { position } of store.readAll(last)) {
      const timeout = AbortSignal.timeout(viewTimeoutMs);
      await viewPassed(position, timeout).catch((error: unknown) => {
        if (!timeout.aborted) throw error;
        throw new StoreUnavailable(`the view of ${category} events has not reached position ${position}`);
      });
    }
  };
