import { StoreUnavailable } from '../../kernel/store-errors.js';
import type { EventStore } from '../event-store/event-store.js';

/** Maximum wait for the view; a view that takes longer has stopped, or no process updates it. */
const viewTimeoutMs = 5_000;

/**
 * Waits until a view of the events of a category has processed all present ones. `viewPassed` resolves once the view has processed
 * the position, and rejects with the signal's reason when it aborts. Throws `StoreUnavailable` after 5 s.
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
