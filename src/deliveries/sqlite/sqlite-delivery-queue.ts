import { openDatabaseFile } from '../../data-directory/database-file.js';
import type { DeliveryQueue } from '../delivery-queue.js';
import { enqueueWriter } from './enqueue.js';
import { openGates } from './gates.js';
import { groupCalls } from './grouped-calls.js';
import { leaseTaker } from './lease-deliveries.js';
import { Leases } from './leases.js';
import { deliveryReader } from './read-deliveries.js';
import { outcomeWriter } from './record-outcomes.js';
import { deliveriesFile } from './schema.js';
import { openSetAside } from './set-aside.js';
import { openTally } from './tally.js';

/**
 * Opens `deliveries.db` in the data directory, making both where they are missing. It works on the calling thread; in a
 * service that is the dispatcher's. Leases live in memory: one service at a time has a data directory open. Other
 * processes may read and enqueue beside it. Throws `StoreUnusable` where the file is newer than this version, damaged or
 * not ours.
 */
export function openSqliteDeliveryQueue({ directory }: { readonly directory: string }): DeliveryQueue {
  const database = openDatabaseFile(directory, deliveriesFile);
  const { call, close } = groupCalls(database);
  const leases = new Leases();
  const tally = openTally(database);
  const gates = openGates(database, tally);
  const reader = deliveryReader(database, tally);
  const setAside = openSetAside(database);
  const enqueue = enqueueWriter(database, { gates, tally });
  const lease = leaseTaker(database, leases);
  const record = outcomeWriter(database, { leases, tally });

  return {
    enqueue: (batch, now) => call(() => enqueue(batch, now)),
    checkpoint: (name) => call(() => reader.checkpoint(name)),
    lease: (request) => call((onRollback) => lease(request, onRollback)),
    record: (outcomes, now) => call((onRollback) => record(outcomes, now, onRollback)),
    closeGate: (listenerId) => call(() => gates.close(listenerId)),
    closedGates: (listenerIds) => call(() => new Set(listenerIds.filter((each) => !gates.isOpen(each)))),
    listSetAside: (query) => call(() => setAside.list(query)),
    explainSetAside: (position, reason) => call(() => setAside.explain(position, reason)),
    removeSetAside: (position) => call(() => setAside.remove(position)),
    counts: (now) => call(() => reader.counts(now)),
    list: (query) => call(() => reader.list(query)),
    async close() {
      close();
      if (database.open) database.close();
    },
  };
}
