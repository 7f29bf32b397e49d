import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Close } from '../../kernel/closing.js';
import { DomainError } from '../../kernel/domain-error.js';
import { portOf } from '../../kernel/threads/port-of.js';
import type { DeliveryQueue, OpenQueue } from '../../queue/delivery-queue.js';
import type { EventStore, LiveLog, LogReader, StreamReader } from '../../stores/event-store/event-store.js';
import type { Cluster } from '../../stores/settings.js';
import type { ReadModel } from '../../views/read-model.js';
import type { StoresAt } from './stores.js';

/** The data directory holds no store. */
class NoStore extends DomainError {
  readonly code = 'no_store';
}

/** Each is loaded and opened at its first use. Rejects with the error of opening it. */
export type Stores = {
  events: () => Promise<EventStore>;
  readModel: () => Promise<ReadModel>;
  deliveries: () => Promise<DeliveryQueue>;
};

type Closable = { close: () => Promise<void> };
type Keep = <Store extends Closable>(store: Store) => Store;

/** Stores whose close functions `onOpened` gets. Throws `NoStore` if the data directory holds none. */
export function commandStores({ cluster, dataDirectory }: StoresAt, onOpened: (close: Close) => void): Stores {
  const keep: Keep = (store) => {
    onOpened(() => store.close());
    return store;
  };
  return cluster ? clusterStores(cluster, keep) : embeddedStores(dataDirectory, keep);
}

export type LaterStores = {
  store: EventStore;
  readModel: ReadModel;
  queue: OpenQueue;
};

/** The stores, each of which is opened by the first call of it. */
export function laterStores({ events, readModel, deliveries }: Stores): LaterStores {
  return {
    store: later(events, laterReads(events)),
    readModel: later(readModel, { rebuilds: later(async () => (await readModel()).rebuilds) }),
    queue: later(deliveries),
  };
}

type Call = (...args: never) => Promise<unknown>;

const later = <Store extends object>(open: () => Promise<Store>, own?: Partial<Store>): Store =>
  portOf<Store>(async (name, ...args) => {
    const store = await open();
    return (store[name] as Call).apply(store, args); // all of these return promises
  }, own);

const laterReads = (open: Stores['events']): StreamReader & LogReader & LiveLog => ({
  async *readStream(...range) {
    yield* (await open()).readStream(...range);
  },
  async *readAll(...range) {
    yield* (await open()).readAll(...range);
  },
  async *subscribe(...options) {
    yield* (await open()).subscribe(...options);
  },
});

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
      const { openSqliteReadModel } = await import('../../views/sqlite/sqlite-read-model.js');
      return keep(openSqliteReadModel({ directory }));
    }),
    deliveries: once(async () => {
      const { openSqliteDeliveryQueue } = await import('../../queue/sqlite/sqlite-delivery-queue.js');
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
      const { openMongoReadModel } = await import('../../views/mongodb/mongodb-read-model.js');
      return keep(openMongoReadModel(await database()));
    }),
    deliveries: once(async () => {
      const { openMongoDeliveryQueue } = await import('../../queue/mongodb/mongodb-delivery-queue.js');
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
