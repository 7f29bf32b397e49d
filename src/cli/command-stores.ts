import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { closingAll } from '../closing.js';
import type { Config } from '../config.js';
import type { DeliveryQueue } from '../deliveries/delivery-queue.js';
import { openMongoDeliveryQueue } from '../deliveries/mongodb/mongodb-delivery-queue.js';
import { openSqliteDeliveryQueue } from '../deliveries/sqlite/sqlite-delivery-queue.js';
import { DomainError } from '../domain-error.js';
import type { EventStore } from '../event-store/event-store.js';
import { openEventStoreDb } from '../event-store/eventstoredb/eventstoredb-event-store.js';
import { openSqliteEventStore } from '../event-store/sqlite/sqlite-event-store.js';
import { openMongoDb } from '../mongodb/mongodb-database.js';
import { openMongoReadModel } from '../read-model/mongodb/mongodb-read-model.js';
import type { ReadModel } from '../read-model/read-model.js';
import { openSqliteReadModel } from '../read-model/sqlite/sqlite-read-model.js';

/** There is no store where one should be. */
export class NoStore extends DomainError {
  readonly code = 'no_store';
}

/** Each is opened when it is first asked for. Throws what opening it throws. */
export type Stores = {
  readonly events: () => EventStore;
  readonly readModel: () => ReadModel;
  readonly deliveries: () => Promise<DeliveryQueue>;
};

/** Where the stores of a service are: in the cluster, where one is configured. */
export type StoresAt = Pick<Config, 'cluster' | 'dataDirectory'>;

type Closable = { readonly close: () => Promise<void> };
type Keep = <Store extends Closable>(store: Store) => Store;

/** Opens what the work asks for, and closes it whatever happens. Throws `NoStore` where the data directory holds none. */
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

/** Throws `NoStore` where the directory holds none. */
export function requireStore(directory: string): void {
  if (holdsStore(directory)) return;
  throw new NoStore(
    `there is no store in ${directory}: start the service once, or name another directory with --data-dir`,
  );
}

function embeddedStores(directory: string, keep: Keep): Stores {
  requireStore(directory);
  return {
    events: once(() => keep(openSqliteEventStore({ directory }))),
    readModel: once(() => keep(openSqliteReadModel({ directory }))),
    deliveries: once(async () => keep(openSqliteDeliveryQueue({ directory }))),
  };
}

function clusterStores({ eventStoreDbUrl, mongoDbUrl }: NonNullable<Config['cluster']>, keep: Keep): Stores {
  const database = once(() => keep(openMongoDb({ url: mongoDbUrl })));
  return {
    events: once(() => keep(openEventStoreDb({ url: eventStoreDbUrl }))),
    readModel: once(() => keep(openMongoReadModel(database()))),
    deliveries: once(async () => keep(await openMongoDeliveryQueue(database()))),
  };
}

function once<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
