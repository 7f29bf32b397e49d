import { openDatabaseFile } from '../../stores/sqlite/database-file.js';
import { logEmptier } from '../../stores/sqlite/empty-log.js';
import { logSync } from '../../stores/sqlite/log-sync.js';
import { withStoreErrors } from '../../stores/sqlite/sqlite-errors.js';
import { writeAnew } from '../../stores/sqlite/write-anew.js';
import type { DeliveryQueue, Enqueued, FanOutBatch, LeaseRequest } from '../queue/delivery-queue.js';
import { QueueClock } from '../queue/queue-clock.js';
import { openCheckpoints } from './checkpoints.js';
import { openBufferWriter } from './enqueue/buffer-writer.js';
import { enqueuer } from './enqueue/enqueue.js';
import { openMessages } from './enqueue/messages.js';
import { WriteBehindBuffer } from './enqueue/write-behind-buffer.js';
import { deliveryWriter } from './enqueue/write-deliveries.js';
import { type OnRollback, openGroupCommit } from './group-commit.js';
import { openHookChanges } from './lease/hook-changes.js';
import { openHookSchedule } from './lease/hook-schedule.js';
import { LeaseCandidates } from './lease/lease-candidates.js';
import { leaseTaker } from './lease/lease-deliveries.js';
import { Leases } from './lease/leases.js';
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
import { openGateStore } from './registrations/gate-store.js';
import { openHookStore } from './registrations/hook-store.js';
import { openReplays } from './registrations/replays.js';
import { deliveriesFile } from './schema.js';
import { openTally } from './tally.js';

/** So soon everything is written that was not delivered at once. */
const flushIntervalMs = 250;
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
  const changes = openHookChanges(database);
  const { call, callWithoutSync, close } = openGroupCommit(database, log, {
    onBegun: detectForeignWrites,
    onRolledBack: changes.rolledBack,
  });
  const candidates = new LeaseCandidates();
  const leases = new Leases(candidates);
  const checkpoints = openCheckpoints(database);
  const clock = new QueueClock(checkpoints.latest());
  const tally = openTally(database);
  const healths = openHookHealths(database, { changes, candidates });
  const schedule = openHookSchedule(database, { changes, candidates });
  const gates = openGateStore(database, { changes, tally, healths, candidates });
  const hookStore = openHookStore(database, { changes, tally, schedule });
  const replays = openReplays(database, { tally, schedule });
  const reader = deliveryReader(database, { clock, healths, tally });
  const statistics = openAttemptStatistics(database);
  const knownEvents = openKnownEvents(database);
  const setAside = openSetAside(database);
  const messages = openMessages(database);
  const list = openList(database);
  const buffer = new WriteBehindBuffer();
  const write = deliveryWriter(database, { leases, candidates, replays, schedule, tally });
  const bufferWriter = openBufferWriter(database, { checkpoints, clock, messages, hookStore, buffer, write });
  const release = heldReleaser(database, { leases, schedule, tally });
  const add = enqueuer({
    ...{
      bufferWriter,
      clock,
      gates,
      healths,
      candidates,
      messages,
      release,
      replays,
      setAside,
      hookStore,
      buffer,
      write,
    },
  });
  const lease = leaseTaker(database, { bufferWriter, changes, clock, healths, leases, candidates, schedule, buffer });
  const record = outcomeWriter(database, {
    ...{ bufferWriter, clock, healths, leases, schedule, statistics, tally, buffer },
  });
  const redeliver = redeliverer(database, { clock, leases, list, schedule, tally });
  const purge = purger(database, tally);
  const forgetOrganisation = organisationForgetter(database, { changes, leases, candidates, tally });
  const emptyLog = logEmptier(database, busyTimeoutMs);

  /** Another process may have enqueued something, closed a gate, or forgotten an organisation. */
  function detectForeignWrites(onRollback: OnRollback): void {
    onRollback(() => buffer.sort()); // the last thing to be undone
    if (!changes.detectForeignWrites()) return;
    candidates.invalidate();
    buffer.forgetKeys(onRollback);
    bufferWriter.flush(onRollback);
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

  let flushTimer: NodeJS.Timeout | undefined;
  let closed = false;

  function scheduleFlush(): void {
    if (closed || !bufferWriter.hasPending()) return;
    flushTimer ??= setTimeout(() => {
      flushTimer = undefined;
      callWithoutSync(bufferWriter.flushOld)
        .catch(() => undefined)
        .finally(scheduleFlush);
    }, flushIntervalMs).unref();
  }

  /** After everything has been written. */
  const withFlushedBuffer =
    <Result>(run: (onRollback: OnRollback) => Result) =>
    (onRollback: OnRollback): Result => {
      bufferWriter.flush(onRollback);
      return run(onRollback);
    };

  return {
    // What the power takes away comes again: a batch with its checkpoint, a lease, an attempt, a purge.
    async enqueue(batch, now, request) {
      const isRepeated = batch.comesAgain || batch.checkpoint?.follows;
      const enqueued = await (isRepeated ? callWithoutSync : call)((onRollback) =>
        enqueue(batch, now, request, onRollback),
      );
      scheduleFlush();
      return enqueued;
    },
    checkpoint: (name) => callWithoutSync(withFlushedBuffer(() => checkpoints.of(name))),
    lease: (request) => callWithoutSync((onRollback) => lease(request, onRollback)),
    record: (outcomes, now) => callWithoutSync((onRollback) => record(outcomes, now, onRollback)),
    redeliver: (query, now) => call(withFlushedBuffer((onRollback) => redeliver(query, now, onRollback))),
    cancelReplay: (replay) => call(withFlushedBuffer(() => replays.cancel(replay))),
    closeGate: (listenerId) => call(withFlushedBuffer(() => gates.close(listenerId))),
    closedGates: (listenerIds) => callWithoutSync(() => new Set(listenerIds.filter((each) => !gates.isOpen(each)))),
    listSetAside: (query) => callWithoutSync(() => setAside.list(query)),
    explainSetAside: (position, reason) => call(() => setAside.explain(position, reason)),
    removeSetAside: (position) => call(() => setAside.remove(position)),
    counts: (now) => callWithoutSync(withFlushedBuffer(() => reader.counts(now))),
    list: (query) => callWithoutSync(withFlushedBuffer(() => list(query).map((row) => toListed(row, clock)))),
    attempts: (orgId, deliveryId) => callWithoutSync(withFlushedBuffer(() => reader.attempts(orgId, deliveryId))),
    stats: (query) => callWithoutSync(() => statistics.read(query)),
    hookStates: (listenerIds) => callWithoutSync(() => reader.hookStates(listenerIds)),
    openBreakers: () => callWithoutSync(() => reader.openBreakers()),
    knownEvent: (orgId, eventId) => callWithoutSync(withFlushedBuffer(() => knownEvents.find(orgId, eventId))),
    knownEvents: (query) => callWithoutSync(withFlushedBuffer(() => knownEvents.list(query))),
    purge: (request) => callWithoutSync(withFlushedBuffer(() => purge(request))),
    async forgetOrganisation(request) {
      const forgotten = await call(withFlushedBuffer((onRollback) => forgetOrganisation(request, onRollback)));
      if (forgotten === request.limit) return forgotten;
      withStoreErrors(database.name, () => writeAnew(database));
      await emptyLog();
      return forgotten;
    },
    async close() {
      closed = true;
      clearTimeout(flushTimer);
      await callWithoutSync(bufferWriter.flush).catch(() => undefined); // what cannot be written now comes again
      try {
        await close();
      } finally {
        await log.close();
        if (database.open) database.close();
      }
    },
  };
}
