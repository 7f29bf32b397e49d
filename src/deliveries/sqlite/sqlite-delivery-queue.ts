import { openDatabaseFile } from '../../stores/sqlite/database-file.js';
import { withStoreErrors } from '../../stores/sqlite/sqlite-errors.js';
import { walTruncater } from '../../stores/sqlite/truncate-wal.js';
import { vacuum } from '../../stores/sqlite/vacuum.js';
import { walSync } from '../../stores/sqlite/wal-sync.js';
import type { DeliveryQueue, Enqueued, FanOutBatch, LeaseRequest } from '../queue/delivery-queue.js';
import { QueueClock } from '../queue/queue-clock.js';
import { openCheckpoints } from './checkpoints.js';
import { enqueuer } from './enqueue/enqueue.js';
import { openMessages } from './enqueue/messages.js';
import { Unwritten } from './enqueue/unwritten.js';
import { writeBehind } from './enqueue/write-behind.js';
import { deliveryWriter } from './enqueue/write-deliveries.js';
import { groupCalls, type OnRollback } from './grouped-calls.js';
import { openHookChanges } from './lease/hook-changes.js';
import { openHookSchedule } from './lease/hook-schedule.js';
import { leaseTaker } from './lease/lease-deliveries.js';
import { Leases } from './lease/leases.js';
import { Looks } from './lease/looks.js';
import { openKnownEvents } from './log/known-events.js';
import { openList, toListed } from './log/list-deliveries.js';
import { deliveryReader } from './log/read-deliveries.js';
import { purger } from './operate/purge.js';
import { redeliverer } from './operate/redeliver.js';
import { heldReleaser } from './operate/release-held.js';
import { openSetAside } from './operate/set-aside.js';
import { openAttemptStatistics } from './outcomes/attempt-statistics.js';
import { openHookHealths } from './outcomes/hook-healths.js';
import { outcomeWriter } from './outcomes/record-outcomes.js';
import { organisationForgetter } from './registrations/forget-organisation.js';
import { openGates } from './registrations/gates.js';
import { openReplays } from './registrations/replays.js';
import { openTargets } from './registrations/targets.js';
import { deliveriesFile } from './schema.js';
import { openTally } from './tally.js';

/** So soon everything is written that was not delivered at once. */
const writeWithinMs = 250;
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
  const log = walSync(database);
  const changes = openHookChanges(database);
  const { call, callUnsynced, close } = groupCalls(database, log, {
    onBegun: lookForOthers,
    onTakenBack: changes.takenBack,
  });
  const looks = new Looks();
  const leases = new Leases(looks);
  const checkpoints = openCheckpoints(database);
  const clock = new QueueClock(checkpoints.latest());
  const tally = openTally(database);
  const healths = openHookHealths(database, { changes, looks });
  const schedule = openHookSchedule(database, { changes, looks });
  const gates = openGates(database, { changes, tally, healths, looks });
  const targets = openTargets(database, { changes, tally, schedule });
  const replays = openReplays(database, { tally, schedule });
  const reader = deliveryReader(database, { clock, healths, tally });
  const statistics = openAttemptStatistics(database);
  const knownEvents = openKnownEvents(database);
  const setAside = openSetAside(database);
  const messages = openMessages(database);
  const list = openList(database);
  const unwritten = new Unwritten();
  const write = deliveryWriter(database, { leases, looks, replays, schedule, tally });
  const behind = writeBehind(database, { checkpoints, clock, messages, targets, unwritten, write });
  const release = heldReleaser(database, { leases, schedule, tally });
  const add = enqueuer({
    ...{ behind, clock, gates, healths, looks, messages, release, replays, setAside, targets, unwritten, write },
  });
  const lease = leaseTaker(database, { behind, changes, clock, healths, leases, looks, schedule, unwritten });
  const record = outcomeWriter(database, {
    ...{ behind, clock, healths, leases, schedule, statistics, tally, unwritten },
  });
  const redeliver = redeliverer(database, { clock, leases, list, schedule, tally });
  const purge = purger(database, tally);
  const forgetOrganisation = organisationForgetter(database, { changes, leases, looks, tally });
  const emptyLog = walTruncater(database, busyTimeoutMs);

  /** Another process may have enqueued something, closed a gate, or forgotten an organisation. */
  function lookForOthers(onRollback: OnRollback): void {
    onRollback(() => unwritten.sort()); // the last thing to be undone
    if (!changes.lookForOthers()) return;
    looks.forget();
    unwritten.forgetKeys(onRollback);
    behind.writeAll(onRollback);
  }

  /** Enqueues, and leases at once what the request has room for. */
  const enqueue = (
    batch: FanOutBatch,
    now: number,
    request: LeaseRequest | undefined,
    onRollback: OnRollback,
  ): Enqueued => {
    const added = add(batch, now, onRollback);
    return request ? { added, lease: lease(request, onRollback) } : { added };
  };

  let writing: NodeJS.Timeout | undefined;
  let closed = false;

  function writeSoon(): void {
    if (closed || !behind.isOwed()) return;
    writing ??= setTimeout(() => {
      writing = undefined;
      callUnsynced(behind.writeOld)
        .catch(() => undefined)
        .finally(writeSoon);
    }, writeWithinMs).unref();
  }

  /** After everything has been written. */
  const whole =
    <Result>(run: (onRollback: OnRollback) => Result) =>
    (onRollback: OnRollback): Result => {
      behind.writeAll(onRollback);
      return run(onRollback);
    };

  return {
    // What the power takes away comes again: a batch with its checkpoint, a lease, an attempt, a purge.
    async enqueue(batch, now, request) {
      const isRepeated = batch.resentAfterCrash || batch.checkpoint?.follows;
      const enqueued = await (isRepeated ? callUnsynced : call)((onRollback) =>
        enqueue(batch, now, request, onRollback),
      );
      writeSoon();
      return enqueued;
    },
    checkpoint: (name) => callUnsynced(whole(() => checkpoints.of(name))),
    lease: (request) => callUnsynced((onRollback) => lease(request, onRollback)),
    record: (outcomes, now) => callUnsynced((onRollback) => record(outcomes, now, onRollback)),
    redeliver: (query, now) => call(whole((onRollback) => redeliver(query, now, onRollback))),
    cancelReplay: (replay) => call(whole(() => replays.cancel(replay))),
    closeGate: (listenerId) => call(whole(() => gates.close(listenerId))),
    closedGates: (listenerIds) => callUnsynced(() => new Set(listenerIds.filter((each) => !gates.isOpen(each)))),
    listSetAside: (query) => callUnsynced(() => setAside.list(query)),
    explainSetAside: (position, reason) => call(() => setAside.explain(position, reason)),
    removeSetAside: (position) => call(() => setAside.remove(position)),
    counts: (now) => callUnsynced(whole(() => reader.counts(now))),
    list: (query) => callUnsynced(whole(() => list(query).map((row) => toListed(row, clock)))),
    attempts: (orgId, deliveryId) => callUnsynced(whole(() => reader.attempts(orgId, deliveryId))),
    stats: (query) => callUnsynced(() => statistics.read(query)),
    hookStates: (listenerIds) => callUnsynced(() => reader.hookStates(listenerIds)),
    openBreakers: () => callUnsynced(() => reader.openBreakers()),
    knownEvent: (orgId, eventId) => callUnsynced(whole(() => knownEvents.find(orgId, eventId))),
    knownEvents: (query) => callUnsynced(whole(() => knownEvents.list(query))),
    purge: (request) => callUnsynced(whole(() => purge(request))),
    async forgetOrganisation(request) {
      const forgotten = await call(whole((onRollback) => forgetOrganisation(request, onRollback)));
      if (forgotten === request.limit) return forgotten;
      withStoreErrors(database.name, () => vacuum(database));
      await emptyLog();
      return forgotten;
    },
    async close() {
      closed = true;
      clearTimeout(writing);
      await callUnsynced(behind.writeAll).catch(() => undefined); // what cannot be written now comes again
      try {
        await close();
      } finally {
        await log.close();
        if (database.open) database.close();
      }
    },
  };
}
