import type { Logger } from 'pino';
import { openSqliteEventStore } from '../../stores/event-store/sqlite/sqlite-event-store.js';
import { soleHolder } from '../../stores/leases/sole-holder.js';
import { openSqliteReadModel } from '../../views/sqlite/sqlite-read-model.js';
import type { OnOpened, OpenStoresOptions, Stores } from './stores.js';

/** The embedded stores in the data directory. */
export function openEmbedded(
  directory: string,
  log: Logger,
  onOpened: OnOpened,
  { onAppended, isNotified = false }: OpenStoresOptions,
): Stores {
  const events = openSqliteEventStore({ directory, polls: !isNotified, onAppended });
  onOpened(() => events.close());
  const readModel = openSqliteReadModel({ directory });
  onOpened(() => readModel.close());
  return {
    events,
    readModel,
    leases: soleHolder({ log }),
    lookAtLeases: undefined,
    rateCounts: undefined,
    wakeUp: events.wakeUp,
    async openQueue() {
      const { openSqliteDeliveryQueue } = await import('../../queue/sqlite/sqlite-delivery-queue.js');
      const queue = openSqliteDeliveryQueue({ directory });
      onOpened(() => queue.close());
      return queue;
    },
    eventsFailure: () => undefined,
    subscriptions: () => ({ failing: [], resubscriptions: 0 }),
    shared: false,
  };
}
