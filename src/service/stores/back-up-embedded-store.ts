import { type BackedUp, backUp, type EmbeddedDatabases } from '../../admin/back-up.js';
import { deliveriesFile } from '../../deliveries/sqlite/schema.js';
import { openSqliteDeliveryQueue } from '../../deliveries/sqlite/sqlite-delivery-queue.js';
import { eventsFile } from '../../stores/event-store/sqlite/schema.js';
import { openSqliteEventStore } from '../../stores/event-store/sqlite/sqlite-event-store.js';
import { backUpDatabase } from '../../stores/sqlite/database-file.js';

const databases: EmbeddedDatabases = {
  queue: {
    file: deliveriesFile.name,
    copy: (directory, target) => backUpDatabase(directory, deliveriesFile, target),
    open: (directory) => openSqliteDeliveryQueue({ directory }),
  },
  events: {
    file: eventsFile.name,
    copy: (directory, target) => backUpDatabase(directory, eventsFile, target),
    open: (directory) => openSqliteEventStore({ directory }),
  },
};

/** Copies the embedded store of a data directory: see `backUp`. */
export const backUpEmbeddedStore = (directory: string, to: string): Promise<readonly BackedUp[]> =>
  backUp(databases, directory, to);
