import { openDatabaseFile } from '../../data-directory/database-file.js';
import { logEmptier } from '../../data-directory/empty-log.js';
import { logSync } from '../../data-directory/log-sync.js';
import { withStoreErrors } from '../../data-directory/sqlite-errors.js';
import { writeAnew } from '../../data-directory/write-anew.js';
import type { DeliveryQueue, Enqueued, FanOutBatch, LeaseRequest } from '../delivery-queue.js';
import { QueueClock } from '../queue-clock.js';
import { openAttemptStatistics } from './attempt-statistics.js';
import { enqueueWriter } from './enqueue.js';
import { organisationForgetter } from './forget-organisation.js';
import { openGates } from './gates.js';
import { groupCalls, type OnRollback } from './grouped-calls.js';
import { openHookHealths } from './hook-healths.js';
import { openHookSchedule } from './hook-schedule.js';
import { openKnownEvents } from './known-events.js';
import { leaseTaker } from './lease-deliveries.js';
import { Leases } from './leases.js';
import { openList, toListed } from './list-deliveries.js';
import { Looks } from './looks.js';
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
  const log = logSync(database);
  const { call, callUnsynced, close } = groupCalls(database, log);
  const looks = new Looks();
  const leases = new Leases(looks);
  const clock = new QueueClock();
  const tally = openTally(database);
  const healths = openHookHealths(database, looks);
  const schedule = openHookSchedule(database, looks);
  const gates = openGates(database, { tally, healths, looks });
  const targets = openTargets(database, { tally, schedule });
  const replays = openReplays(database, { tally, schedule });
  const reader = deliveryReader(database, { clock, healths, tally });
  const statistics = openAttemptStatistics(database);
  const knownEvents = openKnownEvents(database);
  const setAside = openSetAside(database);
  const list = openList(database);
  const write = enqueueWriter(database, { clock, gates, looks, replays, schedule, tally, targets });
  const lease = leaseTaker(database, { clock, healths, leases, looks, schedule });
  const record = outcomeWriter(database, { clock, healths, leases, schedule, statistics, tally });
  const redeliver = redeliverer(database, { clock, leases, list, schedule, tally });
  const purge = purger(database, tally);
  const forgetOrganisation = organisationForgetter(database, { leases, looks, tally });
  const emptyLog = logEmptier(database, busyTimeoutMs);

  /** Enqueues, and leases at once what the request has room for. */
  const enqueue = (
    batch: FanOutBatch,
    now: number,
    request: LeaseRequest | undefined,
    onRollback: OnRollback,
  ): Enqueued => {
    const added = write(batch, now, onRollback);
    return request ? { added, lease: lease(request, onRollback) } : { added };
  };

  return {
    // What the power takes away comes again: a batch with its checkpoint, a lease, an attempt.
    enqueue: (batch, now, request) =>
      (batch.checkpoint?.follows ? callUnsynced : call)((onRollback) => enqueue(batch, now, request, onRollback)),
    checkpoint: (name) => callUnsynced(() => reader.checkpoint(name)),
    lease: (request) => callUnsynced((onRollback) => lease(request, onRollback)),
    record: (outcomes, now) => callUnsynced((onRollback) => record(outcomes, now, onRollback)),
    redeliver: (query, now) => call((onRollback) => redeliver(query, now, onRollback)),
    cancelReplay: (replay) => call(() => replays.cancel(replay)),
    closeGate: (listenerId) => call(() => gates.close(listenerId)),
    closedGates: (listenerIds) => callUnsynced(() => new Set(listenerIds.filter((each) => !gates.isOpen(each)))),
    listSetAside: (query) => callUnsynced(() => setAside.list(query)),
    explainSetAside: (position, reason) => call(() => setAside.explain(position, reason)),
    removeSetAside: (position) => call(() => setAside.remove(position)),
    counts: (now) => callUnsynced(() => reader.counts(now)),
    list: (query) => callUnsynced(() => list(query).map((row) => toListed(row, clock))),
    attempts: (orgId, deliveryId) => callUnsynced(() => reader.attempts(orgId, deliveryId)),
    stats: (query) => callUnsynced(() => statistics.read(query)),
    health: (listenerIds) => callUnsynced(() => reader.health(listenerIds)),
    openBreakers: () => callUnsynced(() => reader.openBreakers()),
    knownEvent: (orgId, eventId) => callUnsynced(() => knownEvents.find(orgId, eventId)),
    knownEvents: (query) => callUnsynced(() => knownEvents.list(query)),
    purge: (request) => call(() => purge(request)),
    async forgetOrganisation(request) {
      const forgotten = await call((onRollback) => forgetOrganisation(request, onRollback));
      if (forgotten === request.limit) return forgotten;
      withStoreErrors(database.name, () => writeAnew(database));
      await emptyLog();
      return forgotten;
    },
    async close() {
      try {
        await close();
      } finally {
        await log.close();
        if (database.open) database.close();
      }
    },
  };
}
