import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DeliveryQueue } from '../../deliveries/queue/delivery-queue.js';
import { closingAll } from '../../kernel/closing.js';
import { DomainError } from '../../kernel/domain-error.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import type { ReadModel } from '../../stores/read-model/read-model.js';
import type { Config } from '../config/config.js';
import type { Cluster } from '../config/shared-settings.js';

/** The data directory holds no store. */
class NoStore extends DomainError {
  readonly code = 'no_store';
}

/** Each is loaded and opened at its first use. Rejects with the error of opening it. */
export type Stores = {
  readonly events: () => Promise<EventStore>;
  readonly readModel: () => Promise<ReadModel>;
  readonly deliveries: () => Promise<DeliveryQueue>;
};

/** The location of the stores: the cluster if one is configured, otherwise the data directory. */
export type StoresAt = Pick<Config, 'cluster' | 'dataDirectory'>;

type Closable = { readonly close: () => Promise<void> };
type Keep = <Store extends Closable>(store: Store) => Store;

/** Opens the stores that the work uses, and closes them even if it fails. Throws `NoStore` if the data directory holds none. */
export async function withStores<Result>(
  { cluster, dataDirectory }: StoresAt,
  work: (stores: Stores) => Promise<Result>,
): Promise<Result> {
  return closingAll(async (onOpened) => {
    const keep: Keep = (store) => {
      onOpened(() => store.close());
      return store;
    };
    return work(cluster ? clusterStores(cluster, keep) : embeddedStores(dataDirectory, keep));
  });
}

export const holdsStore = (directory: string): boolean => existsSync(join(directory, 'events.db'));

/** Throws `NoStore` if the directory holds none. */
export function requireStore(directory: string): void {
  if (holdsStore(directory)) return;
  throw new NoStore(
    `there is no store in ${directory}: start the service once, or name another directory with --data-dir`,
  );
}

function embeddedStores(directory: string, keep: Keep): Stores {
  requireStore(directory);
  return {
    events: once(async () => {
      const { openSqliteEventStore } = await import('../../stores/event-store/sqlite/sqlite-event-store.js');
      return keep(openSqliteEventStore({ directory }));
    }),
    readModel: once(async () => {
      const { openSqliteReadModel } = await import('../../stores/read-model/sqlite/sqlite-read-model.js');
      return keep(openSqliteReadModel({ directory }));
    }),
    deliveries: once(async () => {
      const { openSqliteDeliveryQueue } = await import('../../deliveries/sqlite/sqlite-delivery-queue.js');
      return keep(openSqliteDeliveryQueue({ directory }));
    }),
  };
}

function clusterStores({ eventStoreDbUrl, mongoDbUrl }: Cluster, keep: Keep): Stores {
  const database = once(async () => {
    const { openMongoDb } = await import('../../stores/mongodb/mongodb-database.js');
    return keep(openMongoDb({ url: mongoDbUrl }));
  });
  return {
    events: once(async () => {
      const { openEventStoreDb } = await import('../../stores/event-store/eventstoredb/eventstoredb-event-store.js');
      return keep(openEventStoreDb({ url: eventStoreDbUrl }));
    }),
    readModel: once(async () => {
      const { openMongoReadModel } = await import('../../stores/read-model/mongodb/mongodb-read-model.js');
      return keep(openMongoReadModel(await database()));
    }),
    deliveries: once(async () => {
      const { openMongoDeliveryQueue } = await import('../../deliveries/mongodb/mongodb-delivery-queue.js');
      return keep(await openMongoDeliveryQueue(await database()));
    }),
  };
}

function once<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
