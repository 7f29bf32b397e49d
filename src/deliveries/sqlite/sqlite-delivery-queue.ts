import type Database from 'better-sqlite3';
import { openDatabaseFile } from '../../stores/sqlite/database-file.js';
import { type GroupCommit, type OnRollback, openGroupCommit } from '../../stores/sqlite/group-commit.js';
import { withStoreErrors } from '../../stores/sqlite/sqlite-errors.js';
import { walTruncater } from '../../stores/sqlite/truncate-wal.js';
import { vacuum } from '../../stores/sqlite/vacuum.js';
import { walSync } from '../../stores/sqlite/wal-sync.js';
import type { DeliveryLog } from '../queue/delivery-log.js';
import type { DeliveryQueue } from '../queue/delivery-queue.js';
import type { FanOutBatch } from '../queue/leasing.js';
import type { ListenerRegistry } from '../queue/listener-registry.js';
import { onQueueTime, type QueueOnItsTime } from '../queue/on-queue-time.js';
import { QueueClock } from '../queue/policy/queue-clock.js';
import { openCheckpoints, waitingEventCalls } from './checkpoints.js';
import { openForgetDays, openForgetOrganisation, openForgetPublished, openPurge } from './commands/forget.js';
import { openRedeliver, openReleaseHeld } from './commands/redeliver.js';
import { openSetAside } from './commands/set-aside.js';
import { openEnqueue } from './enqueue/enqueue.js';
import { openMessages, openWriteDeliveries } from './enqueue/write-deliveries.js';
import { openLease } from './lease/lease-deliveries.js';
import { openGateStore, openReplays } from './listeners/gates.js';
import { openListenerStore } from './listeners/listener-store.js';
import { openKnownEvents } from './log/known-events.js';
import { openList, toListed } from './log/list-deliveries.js';
import { openDeliveryReader, openListenersInTrouble } from './log/read-deliveries.js';
import { longChanges } from './long-changes.js';
import { openRecord } from './outcomes/record-outcomes.js';
import { openActivity, openAttemptStatistics } from './outcomes/statistics.js';
import { deliveriesFile } from './schema.js';
import { openShared } from './shared.js';
import { WriteBehind } from './write-behind.js';

/** How long a statement may block the thread for a lock. Calls wait longer, without blocking. */
const blockingTimeoutMs = 100;
/** How long a call, or truncating the WAL, waits for other processes. */
const busyTimeoutMs = 5_000;

/**
 * Opens `deliveries.db` in the data directory, and creates both if they are missing. It works on the calling thread, in a
 * service the dispatcher's. Leases are in memory, so only one service at a time opens a data directory; other processes may
 * read and enqueue at the same time. Throws `StoreUnusable` if the file is damaged, written by a newer version, or of
 * another program.
 */
export function openSqliteDeliveryQueue({ directory }: { readonly directory: string }): DeliveryQueue {
  const database = openDatabaseFile(directory, deliveriesFile, { busyTimeoutMs: blockingTimeoutMs });
  const wal = walSync(database);
  const parts = openQueueParts(database);
  const { checkpoints, clock, leasing, log, registry, setAside, writeBehind } = parts;
  const commits = openGroupCommit(database, { wal, busyTimeoutMs, ...parts.transactions });
  const { call, callWithoutSync, close } = commits;
  const endFlushing = writeBehind.startFlushing(callWithoutSync);
  const emptyLog = walTruncater(database, busyTimeoutMs);
  const { complete, make } = longChanges(commits, wal, writeBehind);

  /** Runs a step after writing the buffer, for steps that read or change deliveries. */
  const afterFlush =
    <Result>(run: (onRollback: OnRollback) => Result) =>
    (onRollback: OnRollback): Result => {
      writeBehind.flush(onRollback);
      return run(onRollback);
    };

  const queue: QueueOnItsTime = {
    async enqueue(batch, time, request) {
      const { left, ...enqueued } = await (isSynced(batch) ? call : callWithoutSync)((onRollback) => ({
        ...leasing.enqueue(batch, time, onRollback),
        ...(request && { lease: leasing.lease(request, onRollback) }),
      }));
      await complete(left, batch.checkpoint, isSynced(batch));
      return enqueued;
    },
    checkpoint: (name) => callWithoutSync(afterFlush(() => checkpoints.of(name))),
    lease: (request) => callWithoutSync((onRollback) => leasing.lease(request, onRollback)),
    record: (outcomes, time) => callWithoutSync((onRollback) => leasing.record(outcomes, time, onRollback)),
    redeliver: (query, time) => call(afterFlush((onRollback) => log.redeliver(query, time, onRollback))),
    cancelReplay: (replay) => make(() => registry.replays.cancel(replay)),
    closeGate: (listenerId) => make(() => registry.gates.close(listenerId)),
    closedGates: (listenerIds) =>
      callWithoutSync(() => new Set(listenerIds.filter((each) => !registry.gates.isOpen(each)))),
    listSetAside: (query) => callWithoutSync(() => setAside.list(query)),
    explainSetAside: (position, reason) => call(() => setAside.explain(position, reason)),
    removeSetAside: (position) => call(() => setAside.remove(position)),
    ...waitingEventCalls(checkpoints.waiting, commits),
    ...reads(parts, commits),
    purge: (request) => callWithoutSync(afterFlush(() => registry.purge(request))),
    forgetPublished: (request) => callWithoutSync(afterFlush(() => registry.forgetPublished(request))),
    forgetDays: (request) => callWithoutSync(() => registry.forgetDays(request)),
    async forgetOrganisation(request) {
      const forgotten = await call(afterFlush((onRollback) => registry.forgetOrganisation(request, onRollback)));
      if (forgotten === request.limit) return forgotten;
      withStoreErrors(database.name, () => vacuum(database));
      await emptyLog();
      return forgotten;
    },
    async close() {
      endFlushing();
      await callWithoutSync((onRollback) => writeBehind.flush(onRollback)).catch(() => undefined); // the fan-out enqueues again what cannot be written now
      try {
        await close();
      } finally {
        await wal.close();
        if (database.open) database.close();
      }
    },
  };
  return onQueueTime(queue, clock);
}

/** No sync where a loss of power only repeats work: for a batch with its checkpoint, as for leases, attempts and purges. */
const isSynced = ({ checkpoint }: FanOutBatch): boolean => !checkpoint?.follows;

type QueueParts = ReturnType<typeof openQueueParts>;

/** Opens the parts of the queue: each prepares its statements and shares what others keep in memory. */
function openQueueParts(database: Database.Database) {
  const shared = openShared(database);
  const checkpoints = openCheckpoints(database);
  const clock = new QueueClock(checkpoints.latest());
  const gates = openGateStore(shared);
  const listenerStore = openListenerStore(shared);
  const replays = openReplays(shared);
  const statistics = openAttemptStatistics(database);
  const setAside = openSetAside(database);
  const activity = openActivity(database);
  const messages = openMessages(database, activity);
  const list = openList(database);
  const write = openWriteDeliveries(shared, replays);
  const release = openReleaseHeld(shared);
  const writeBehind = new WriteBehind(shared, { checkpoints, clock, listenerStore, messages, write });

  return {
    clock,
    checkpoints,
    setAside,
    writeBehind,
    leasing: {
      enqueue: openEnqueue({ gates, messages, release, replays, setAside, listenerStore, write, writeBehind }),
      lease: openLease(shared, writeBehind),
      record: openRecord(shared, { activity, statistics, writeBehind }),
    },
    log: {
      activity,
      list,
      listenersInTrouble: openListenersInTrouble(database),
      knownEvents: openKnownEvents(database),
      reader: openDeliveryReader(shared),
      redeliver: openRedeliver(shared, list),
      statistics,
    },
    registry: {
      gates,
      replays,
      purge: openPurge(shared),
      forgetPublished: openForgetPublished(database),
      forgetDays: openForgetDays(database),
      forgetOrganisation: openForgetOrganisation(shared),
    },
    transactions: {
      /** Another process may have enqueued deliveries, closed a gate, or deleted an organisation. */
      onBegun(onRollback: OnRollback): void {
        if (!shared.changes.detectForeignWrites()) return;
        shared.fullyLeased.invalidate();
        writeBehind.flush(onRollback);
      },
      onCommitting: activity.write,
      onRolledBack(): void {
        shared.changes.rolledBack();
        activity.rolledBack();
      },
    },
  };
}

/**
 * Reads for operators, each in a call of its own. Those of deliveries write the buffer first; those that an open page repeats
 * often do not, since that would undo the savings of the buffer.
 */
function reads(
  { log, writeBehind }: Pick<QueueParts, 'log' | 'writeBehind'>,
  { callWithoutSync }: Pick<GroupCommit, 'callWithoutSync'>,
): Omit<DeliveryLog, 'redeliver'> & Pick<ListenerRegistry, 'listenerStates' | 'listenersInTrouble' | 'openBreakers'> {
  const { activity, listenersInTrouble, knownEvents, list, reader, statistics } = log;
  const afterFlush = <Result>(run: () => Result): Promise<Result> =>
    callWithoutSync((onRollback) => {
      writeBehind.flush(onRollback);
      return run();
    });

  return {
    counts: (queueNow) => afterFlush(() => reader.counts(queueNow)),
    list: (query) => afterFlush(() => list(query).map(toListed)),
    attempts: (orgId, deliveryId) => afterFlush(() => reader.attempts(orgId, deliveryId)),
    stats: (query) => callWithoutSync(() => statistics.read(query)),
    activity: (query) => callWithoutSync(() => activity.read(query)),
    listenerStates: (listenerIds) => callWithoutSync(() => reader.listenerStates(listenerIds)),
    listenersInTrouble: (query) => callWithoutSync(() => listenersInTrouble(query)),
    openBreakers: () => callWithoutSync(() => reader.openBreakers()),
    body: (orgId, eventId) => afterFlush(() => knownEvents.body(orgId, eventId)),
    knownEvent: (orgId, eventId) => afterFlush(() => knownEvents.find(orgId, eventId)),
    latestEvents: (query) => callWithoutSync(() => knownEvents.latest(query)),
    knownEvents: (query) => afterFlush(() => knownEvents.list(query)),
  };
}
