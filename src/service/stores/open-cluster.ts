import type { Logger } from 'pino';
import { requireNoUnfinishedCopy } from '../../deliveries/mongodb/commands/restore.js';
import { openMongoDeliveryQueue } from '../../deliveries/mongodb/mongodb-delivery-queue.js';
import { openEventStoreDb } from '../../stores/event-store/eventstoredb/eventstoredb-event-store.js';
import { openMongoLeases } from '../../stores/leases/mongodb/mongodb-leases.js';
import { openMongoDb } from '../../stores/mongodb/mongodb-database.js';
import { mongoRateCounts } from '../../stores/rate-counts/mongodb/mongodb-rate-counts.js';
import { openMongoReadModel } from '../../stores/read-model/mongodb/mongodb-read-model.js';
import type { Cluster } from '../config/shared-settings.js';
import type { OnOpened, Stores } from './stores.js';

/** The stores on EventStoreDB and MongoDB. */
export async function openCluster(
  { eventStoreDbUrl, mongoDbUrl }: Cluster,
  log: Logger,
  onOpened: OnOpened,
): Promise<Stores> {
  const events = openEventStoreDb({ url: eventStoreDbUrl, log });
  onOpened(() => events.close());
  await events.head(); // a user without the right to read all events is better found out now than by views and fan-out
  const database = openMongoDb({ url: mongoDbUrl, log });
  onOpened(() => database.close());
  await requireNoUnfinishedCopy(database.db); // before anything is appended
  const readModel = openMongoReadModel(database);
  onOpened(() => readModel.close());
  return {
    events,
    readModel,
    leases: openMongoLeases({ database, log }),
    rateCounts: mongoRateCounts(database),
    async openQueue(partitions) {
      const queue = await openMongoDeliveryQueue({ ...database, log, partitions });
      onOpened(() => queue.close());
      return queue;
    },
    eventsTrouble: () => (events.status().connected ? undefined : events.status().error),
    subscriptions() {
      const { inTrouble, resubscriptions } = events.status();
      return { inTrouble: inTrouble.filter(({ name }) => name.startsWith('subscription ')), resubscriptions };
    },
    shared: true,
    wakeUp: () => undefined, // the server notifies its subscriptions
  };
}
