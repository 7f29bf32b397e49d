import { openDatabaseFile } from '../../data-directory/database-file.js';
import { logEmptier } from '../../data-directory/empty-log.js';
import { withStoreErrors } from '../../data-directory/sqlite-errors.js';
import { writeAnew } from '../../data-directory/write-anew.js';
import type { DeliveryQueue } from '../delivery-queue.js';
import { QueueClock } from '../queue-clock.js';
import { openAttemptStatistics } from './attempt-statistics.js';
import { enqueueWriter } from './enqueue.js';
import { organisationForgetter } from './forget-organisation.js';
import { openGates } from './gates.js';
import { groupCalls } from './grouped-calls.js';
import { openHookHealths } from './hook-healths.js';
import { openHookSchedule } from './hook-schedule.js';
import { openKnownEvents } from './known-events.js';
import { leaseTaker } from './lease-deliveries.js';
import { Leases } from './leases.js';
import { openList, toListed } from './list-deliveries.js';
import { purger } from './purge.js';
import { deliveryReader } from './read-deliveries.js';
import { outcomeWriter } from './record-outcomes.js';
import { redeliverer } from './redeliver.js';
import { openReplays } from './replays.js';
import { deliveriesFile } from './schema.js';
import { openSetAside } from './set-aside.js';
import { openTally } from './tally.js';
import { openTargets } from './targets.js';

/** How long emptying the log waits for other processes. */
const busyTimeoutMs = 5_000;

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
  const clock = new QueueClock();
  const tally = openTally(database);
  const healths = openHookHealths(database);
  const schedule = openHookSchedule(database);
  const gates = openGates(database, { tally, healths });
  const targets = openTargets(database, { tally, schedule });
  const replays = openReplays(database, { tally, schedule });
  const reader = deliveryReader(database, { clock, healths, tally });
  const statistics = openAttemptStatistics(database);
  const knownEvents = openKnownEvents(database);
  const setAside = openSetAside(database);
  const list = openList(database);
  const enqueue = enqueueWriter(database, { clock, gates, replays, schedule, tally, targets });
  const lease = leaseTaker(database, { clock, healths, leases, schedule });
  const record = outcomeWriter(database, { clock, healths, leases, schedule, statistics, tally });
  const redeliver = redeliverer(database, { clock, leases, list, schedule, tally });
  const purge = purger(database, tally);
  const forgetOrganisation = organisationForgetter(database, tally);
  const emptyLog = logEmptier(database, busyTimeoutMs);

  return {
    // A batch that the power takes away takes its checkpoint along, and comes again.
    enqueue: (batch, now) => call(() => enqueue(batch, now), { synced: batch.checkpoint?.follows !== true }),
    checkpoint: (name) => call(() => reader.checkpoint(name)),
    lease: (request) => call((onRollback) => lease(request, onRollback), { synced: false }),
    record: (outcomes, now) => call((onRollback) => record(outcomes, now, onRollback)),
    redeliver: (query, now) => call((onRollback) => redeliver(query, now, onRollback)),
    cancelReplay: (replay) => call(() => replays.cancel(replay)),
    closeGate: (listenerId) => call(() => gates.close(listenerId)),
    closedGates: (listenerIds) => call(() => new Set(listenerIds.filter((each) => !gates.isOpen(each)))),
    listSetAside: (query) => call(() => setAside.list(query)),
    explainSetAside: (position, reason) => call(() => setAside.explain(position, reason)),
    removeSetAside: (position) => call(() => setAside.remove(position)),
    counts: (now) => call(() => reader.counts(now)),
    list: (query) => call(() => list(query).map((row) => toListed(row, clock))),
    attempts: (orgId, deliveryId) => call(() => reader.attempts(orgId, deliveryId)),
    stats: (query) => call(() => statistics.read(query)),
    health: (listenerIds) => call(() => reader.health(listenerIds)),
    openBreakers: () => call(() => reader.openBreakers()),
    knownEvent: (orgId, eventId) => call(() => knownEvents.find(orgId, eventId)),
    knownEvents: (query) => call(() => knownEvents.list(query)),
    purge: (request) => call(() => purge(request)),
    async forgetOrganisation(request) {
      const forgotten = await call(() => forgetOrganisation(request));
      if (forgotten === request.limit) return forgotten;
      withStoreErrors(database.name, () => writeAnew(database));
      await emptyLog();
      return forgotten;
    },
    async close() {
      close();
      if (database.open) database.close();
    },
  };
}
