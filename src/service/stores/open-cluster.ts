import type { Db } from 'mongodb';
import type { Logger } from 'pino';
import { StoreUnusable } from '../../kernel/store-errors.js';
import { collectionsOf as queueCollections } from '../../queue/mongodb/collections.js';
import { requireNoUnfinishedCopy } from '../../queue/mongodb/commands/restore.js';
import { openMongoDeliveryQueue } from '../../queue/mongodb/mongodb-delivery-queue.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { openEventStoreDb } from '../../stores/event-store/eventstoredb/eventstoredb-event-store.js';
import { openMongoLeases } from '../../stores/leases/mongodb/mongodb-leases.js';
import { openMongoDb } from '../../stores/mongodb/mongodb-database.js';
import { withMongoErrors } from '../../stores/mongodb/mongodb-errors.js';
import { mongoRateCounts } from '../../stores/rate-counts/mongodb/mongodb-rate-counts.js';
import type { Cluster } from '../../stores/settings.js';
import { collectionsOf as viewCollections } from '../../views/mongodb/collections.js';
import { openMongoReadModel } from '../../views/mongodb/mongodb-read-model.js';
import type { OnOpened, OpenStoresOptions, Stores } from './stores.js';

/** The stores on EventStoreDB and MongoDB. */
export async function openCluster(
  { eventStoreDbUrl, mongoDbUrl }: Cluster,
  log: Logger,
  onOpened: OnOpened,
  { lookElsewhere }: OpenStoresOptions,
): Promise<Stores> {
  const events = openEventStoreDb({ url: eventStoreDbUrl, log });
  onOpened(() => events.close());
  await events.head(); // a user without the right to read all events is better found out now than by views and fan-out
  const database = openMongoDb({ url: mongoDbUrl, log });
  onOpened(() => database.close());
  await requireNoUnfinishedCopy(database.db); // before anything is appended
  await requireWithinHistory(database.db, events);
  const readModel = openMongoReadModel(database);
  onOpened(() => readModel.close());
  const leases = openMongoLeases({ database, log, lookElsewhere });
  return {
    events,
    readModel,
    leases,
    lookAtLeases: leases.lookNext,
    rateCounts: mongoRateCounts(database),
    async openQueue(partitions) {
      const queue = await openMongoDeliveryQueue({ ...database, log, partitions });
      onOpened(() => queue.close());
      return queue;
    },
    eventsFailure: () => (events.status().connected ? undefined : events.status().error),
    subscriptions() {
      const { failing, resubscriptions } = events.status();
      return { failing: failing.filter(({ name }) => name.startsWith('subscription ')), resubscriptions };
    },
    shared: true,
    wakeUp: () => undefined, // the server notifies its subscriptions
  };
}

/**
 * Throws `StoreUnusable` if views or queue have passed the end of the history, because an older copy of EventStoreDB was put back:
 * they would skip the events that take these positions from now on.
 */
async function requireWithinHistory(db: Db, events: EventStore): Promise<void> {
  const highest = { sort: { position: -1 } } as const;
  const [queue, view] = await withMongoErrors(() =>
    Promise.all([
      queueCollections(db).checkpoints.findOne({ _id: /^fan-out(\/|$)/ }, highest),
      viewCollections(db).builds.findOne({}, highest),
    ]),
  );
  const head = await events.head(); // afterwards, since other instances may be at work
  const ahead = [queue, view].find((row) => row && row.position > head);
  if (!ahead) return;
  throw new StoreUnusable(
    `MongoDB knows events up to position ${ahead.position}, and EventStoreDB ends at ${head}: restore a copy of MongoDB that is older ` +
      'than that of EventStoreDB, or drop its database and choose FAN_OUT_FROM',
  );
}
