import { StoreUnavailable } from '../../kernel/store-errors.js';
import type { EventStore } from './event-store.js';

/** A store, and the error of its last failed append. */
export type WatchedEventStore = EventStore & {
  /**
   * Undefined after a successful append, and once there has been no failure for a while: only another append can tell.
   */
  readonly trouble: () => Error | undefined;
};

const rememberedMs = 10_000;

/** Watches the appends of a store, so that a full disk or an unreachable server shows in the health check. */
export function watchAppends(store: EventStore, now: () => number = () => performance.now()): WatchedEventStore {
  let last: { readonly error: Error; readonly at: number } | undefined;

  async function watched<Result>(append: Promise<Result>): Promise<Result> {
    try {
      const result = await append;
      last = undefined;
      return result;
    } catch (error) {
      if (error instanceof StoreUnavailable) last = { error, at: now() };
      throw error;
    }
  }

  return {
    ...store,
    append: (...append) => watched(store.append(...append)),
    appendEach: (events) => watched(store.appendEach(events)),
    trouble: () => (last !== undefined && now() - last.at < rememberedMs ? last.error : undefined),
  };
}
