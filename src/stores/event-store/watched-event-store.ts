import { StoreUnavailable } from '../../kernel/store-errors.js';
import type { EventStore } from './event-store.js';

/** A store, and what last kept it from taking an append. */
export type WatchedEventStore = EventStore & {
  /** Undefined after an append that went well, and once nothing has failed for a while: only trying can tell. */
  readonly trouble: () => Error | undefined;
};

const rememberedMs = 10_000;

/** Watches the appends of a store, so that a full disk or a lost server shows before anybody looks into the log. */
export function watchAppends(store: EventStore, now: () => number = () => performance.now()): WatchedEventStore {
  let last: { readonly error: Error; readonly at: number } | undefined;
  return {
    ...store,
    async append(stream, events, options) {
      try {
        const result = await store.append(stream, events, options);
        last = undefined;
        return result;
      } catch (error) {
        if (error instanceof StoreUnavailable) last = { error, at: now() };
        throw error;
      }
    },
    trouble: () => (last !== undefined && now() - last.at < rememberedMs ? last.error : undefined),
  };
}
