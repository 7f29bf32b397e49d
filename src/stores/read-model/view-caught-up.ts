import { StoreUnavailable } from '../../kernel/store-errors.js';
import type { EventStore } from '../event-store/event-store.js';

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
