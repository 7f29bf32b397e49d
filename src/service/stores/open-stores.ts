import type { Logger } from 'pino';
import { openMongoDeliveryQueue } from '../../deliveries/mongodb/mongodb-delivery-queue.js';
import { requireNoUnfinishedCopy } from '../../deliveries/mongodb/operate/restore-mark.js';
import type { DeliveryQueue } from '../../deliveries/queue/delivery-queue.js';
import { openSqliteDeliveryQueue } from '../../deliveries/sqlite/sqlite-delivery-queue.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { openEventStoreDb } from '../../stores/event-store/eventstoredb/eventstoredb-event-store.js';
import type { Appended } from '../../stores/event-store/sqlite/sqlite-event-store.js';
import { openSqliteEventStore } from '../../stores/event-store/sqlite/sqlite-event-store.js';
import type { Leases } from '../../stores/leases/leases.js';
import { openMongoLeases } from '../../stores/leases/mongodb/mongodb-leases.js';
import { soleHolder } from '../../stores/leases/sole-holder.js';
import { openMongoDb } from '../../stores/mongodb/mongodb-database.js';
import { mongoRateCounts } from '../../stores/rate-counts/mongodb/mongodb-rate-counts.js';
import type { RateCounts } from '../../stores/rate-counts/rate-counts.js';
import { openMongoReadModel } from '../../stores/read-model/mongodb/mongodb-read-model.js';
import type { ReadModel } from '../../stores/read-model/read-model.js';
import { openSqliteReadModel } from '../../stores/read-model/sqlite/sqlite-read-model.js';
import type { Config } from '../config/config.js';

export type Stores = {
  readonly events: EventStore;
  readonly readModel: ReadModel;
  /** Only the dispatcher opens the embedded queue. */
  readonly openQueue: () => Promise<DeliveryQueue>;
  readonly leases: Leases;
  /** Undefined if no other instance can count. */
  readonly rateCounts: RateCounts | undefined;
  /** The error because of which the event store cannot be reached; undefined if it can. */
  readonly eventsTrouble: () => unknown;
  readonly subscriptions: () => SubscriptionsStatus;
  /** Whether other instances may work on the same stores. */
  readonly shared: boolean;
  /** Another thread has appended events. */
  readonly wakeUp: (appended?: Appended) => void;
};

/** The subscriptions to the event store. Those of the embedded store cannot be dropped. */
export type SubscriptionsStatus = {
  /** Subscriptions that are being re-established, and since when. */
  readonly inTrouble: readonly { readonly name: string; readonly since: Date }[];
  /** Number of subscriptions that were opened again. */
  readonly resubscriptions: number;
};

/** Called with the close function of each opened resource, in the order of opening. */
export type OnOpened = (close: () => Promise<void> | void) => void;

export type OpenStoresOptions = {
  /** Called if other threads have to be notified of appended events; without them if another process may have appended. */
  readonly onAppended?: (appended?: Appended) => void;
  /** The main thread notifies this one of appended events, by `Stores.wakeUp`. */
  readonly isNotified?: boolean;
};

/** The stores that are configured: EventStoreDB and MongoDB, or the embedded ones in the data directory. */
export const openStores = (
  config: Pick<Config, 'cluster' | 'dataDirectory'>,
  log: Logger,
  onOpened: OnOpened,
  options: OpenStoresOptions = {},
): Promise<Stores> =>
  config.cluster
    ? openCluster(config.cluster, log, onOpened)
    : openEmbedded(config.dataDirectory, log, onOpened, options);

async function openEmbedded(
  directory: string,
  log: Logger,
  onOpened: OnOpened,
  { onAppended, isNotified = false }: OpenStoresOptions,
): Promise<Stores> {
  const events = openSqliteEventStore({ directory, polls: !isNotified, ...(onAppended && { onAppended }) });
  onOpened(() => events.close());
  const readModel = openSqliteReadModel({ directory });
  onOpened(() => readModel.close());
  return {
    events,
    readModel,
    leases: soleHolder({ log }),
    rateCounts: undefined,
    wakeUp: events.wakeUp,
    async openQueue() {
      const queue = openSqliteDeliveryQueue({ directory });
      onOpened(() => queue.close());
      return queue;
    },
    eventsTrouble: () => undefined,
    subscriptions: () => ({ inTrouble: [], resubscriptions: 0 }),
    shared: false,
  };
}

async function openCluster(
  { eventStoreDbUrl, mongoDbUrl }: NonNullable<Config['cluster']>,
  log: Logger,
  onOpened: OnOpened,
): Promise<Stores> {
  const events = openEventStoreDb({ url: eventStoreDbUrl, log });
  onOpened(() => events.close());
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
    async openQueue() {
      const queue = await openMongoDeliveryQueue({ ...database, log });
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
