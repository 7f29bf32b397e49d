import type { EventStore } from '../../src/stores/event-store/event-store.js';
import { allEventsContract } from './event-store/all-events.js';
import { appendEachContract } from './event-store/append-each.js';
import { appendingContract } from './event-store/appending.js';
import { checkpointsContract } from './event-store/checkpoints.js';
import { closingContract } from './event-store/closing.js';
import { deletingContract } from './event-store/deleting.js';
import { historyContract } from './event-store/history.js';
import { idempotencyContract } from './event-store/idempotency.js';
import { memoryContract } from './event-store/memory.js';
import { readingContract } from './event-store/reading.js';
import { refusalsContract } from './event-store/refusals.js';
import { subscribingContract } from './event-store/subscribing.js';

/**
 * Behaviour of every event store. `open` is called several times, and each time opens the same store anew: as another client, or after the
 * last one has closed. The store may hold anything beside: no test looks at streams or categories that it has not named itself.
 */
export function eventStoreContract(name: string, open: () => EventStore | Promise<EventStore>): void {
  describe(`the ${name} event store`, () => {
    const opened: EventStore[] = [];
    let shared: EventStore;

    async function openAnother(): Promise<EventStore> {
      const store = await open();
      opened.push(store);
      return store;
    }

    before(async () => {
      shared = await openAnother();
    });
    after(() => Promise.all(opened.map((store) => store.close())));

    const context = { store: () => shared, openAnother };
    appendingContract(context);
    appendEachContract(context);
    idempotencyContract(context);
    refusalsContract(context);
    readingContract(context);
    historyContract(context);
    allEventsContract(context);
    subscribingContract(context);
    checkpointsContract(context);
    deletingContract(context);
    closingContract(context);
    memoryContract(context);
  });
}
