import { openDatabaseFile } from '../../data-directory/database-file.js';
import { startDatabaseThread } from '../../data-directory/database-thread.js';
import type { DeliveryQueue } from '../delivery-queue.js';
import type { openQueueDatabase } from './queue-database.js';
import { deliveriesFile } from './schema.js';

/**
 * Opens `deliveries.db` in the data directory, making both where they are missing.
 *
 * The database has a thread of its own, so that neither its work nor its waiting for the disk holds up requests and posts.
 * Throws `StoreUnusable` where the file is newer than this version, damaged or not ours.
 */
export function openSqliteDeliveryQueue({ directory }: { readonly directory: string }): DeliveryQueue {
  openDatabaseFile(directory, deliveriesFile).close(); // what is wrong with it is told here and now
  const { call, close } = startDatabaseThread<ReturnType<typeof openQueueDatabase>>(
    new URL('./queue-thread.js', import.meta.url),
    directory,
    { what: 'the delivery queue' },
  );
  return {
    enqueue: (batch, now) => call('enqueue', batch, now),
    checkpoint: (reader) => call('checkpoint', reader),
    lease: (request) => call('lease', request),
    record: (outcomes, now) => call('record', outcomes, now),
    closeGate: (listenerId) => call('closeGate', listenerId),
    closedGates: (listenerIds) => call('closedGates', listenerIds),
    listSetAside: (query) => call('listSetAside', query),
    explainSetAside: (position, reason) => call('explainSetAside', position, reason),
    removeSetAside: (position) => call('removeSetAside', position),
    counts: (now) => call('counts', now),
    list: (query) => call('list', query),
    close,
  };
}
