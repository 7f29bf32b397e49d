import { StoreUnavailable } from '../../../kernel/store-errors.js';
import type { EventStore } from '../../../stores/event-store/event-store.js';

/** A view that does not come as far in this time, in milliseconds, has stopped, or nobody keeps it up to date. */
const viewTimeoutMs = 5_000;

/**
 * Waits until a view of listener events holds those of now. `viewPassed` resolves once it holds this one, and rejects with
 * the signal's reason when it aborts. Throws `StoreUnavailable` where that takes too long.
 */
export const viewCaughtUp =
  (store: EventStore, viewPassed: (position: bigint, signal: AbortSignal) => Promise<void>) =>
  async (): Promise<void> => {
    const last = { filter: { categories: ['listener'] }, direction: 'backwards', limit: 1 } as const;
    for await (const { position } of store.readAll(last)) {
      const timeout = AbortSignal.timeout(viewTimeoutMs);
      await viewPassed(position, timeout).catch((error: unknown) => {
        if (!timeout.aborted) throw error;
        throw new StoreUnavailable(`the view of listener events has not come to position ${position}`);
      });
    }
  };
