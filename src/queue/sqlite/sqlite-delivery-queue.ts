import type Database from 'better-sqlite3';
import { openDatabaseFile } from '../../stores/sqlite/database-file.js';
import { openGroupCommit } from '../../stores/sqlite/group-commit.js';
import { truncateWalOf, vacuum } from '../../stores/sqlite/reclaim-space.js';
import { withStoreErrors } from '../../stores/sqlite/sqlite-errors.js';
import { walSync } from '../../stores/sqlite/wal-sync.js';
import type { DeliveryQueue } from '../delivery-queue.js';
import { checkpointsOf, type FanOutBatch } from '../fan-out-batch.js';
import { openQueue } from '../open-queue.js';
import type { StoredQueue } from '../stored-queue.js';
import { openCheckpoints } from './checkpoints.js';
import { openForget, openForgetOrganisation } from './commands/forget.js';
import { openRedeliver, openReleaseHeld } from './commands/redeliver.js';
import { openSetAside } from './commands/set-aside.js';
import { openEnqueue } from './enqueue/enqueue.js';
import { openFirstDeliveries } from './enqueue/first-deliveries.js';
import { openMessages, openWriteDeliveries } from './enqueue/write-deliveries.js';
import { openFirstDue } from './lease/find-due.js';
import { openLease } from './lease/lease-deliveries.js';
import { openGateStore, openReplays } from './listeners/gates.js';
import { openListenerStore } from './listeners/listener-store.js';
import { openKnownEvents } from './log/known-events.js';
import { openExhausted, openList, openLists } from './log/list-deliveries.js';
import { openDeliveryReader, openListeners } from './log/read-deliveries.js';
import { longChanges, type TakeStep, takesSteps } from './long-changes.js';
import { openRecord } from './outcomes/record-outcomes.js';
import { openActivity, openAttemptStatistics } from './outcomes/statistics.js';
import { deliveriesFile } from './schema.js';
import { openShared } from './shared.js';

/** Blocks the thread; calls wait longer, without blocking. */
const blockingTimeoutMs = 100;
const busyTimeoutMs = 5_000;

/**
 * Opens `deliveries.db` in the data directory, and creates what is missing. Leases are in memory: one service at a time
 * leases, while other processes may read and enqueue. Throws `StoreUnusable` if the file is damaged, newer, or foreign.
 */
export function openSqliteDeliveryQueue({
  directory,
  monotonicNow = () => performance.now(),
}: {
  directory: string;
  /** Milliseconds, of the time that the steps of a long change take. */
  monotonicNow?: () => number;
}): DeliveryQueue {
  const database = openDatabaseFile(directory, deliveriesFile, { busyTimeoutMs: blockingTimeoutMs });
  const wal = walSync(database);
  const takeStep = takesSteps(monotonicNow);
  const parts = openQueueParts(database, takeStep);
  const { changes, checkpoints, first, leasing, gates, replays, forget, forgetOrganisation, steps, transactions } =
    parts;
  const commits = openGroupCommit(database, { wal, busyTimeoutMs, ...transactions });
  const { call, callWithoutSync, close } = commits;
  const emptyLog = truncateWalOf(database, busyTimeoutMs);
  const { complete, make } = longChanges(commits, wal, checkpoints.move, takeStep);

  const queue: StoredQueue = {
    async enqueue(batch, time) {
      const { added, left } = await (isSynced(batch) ? call : callWithoutSync)((onRollback) =>
        leasing.enqueue(batch, time, onRollback),
      );
      await complete(left, checkpointsOf(batch), isSynced(batch));
      return { added };
    },
    facts: async (...query) => withStoreErrors(database.name, () => first.facts(...query)),
    write: (deliveries) => callWithoutSync((onRollback) => first.write(deliveries, onRollback)),
    moveCheckpoints: (moved) => callWithoutSync(() => moved.forEach(checkpoints.moveUnlessLost)),
    takeForeignWrites() {
      transactions.onBegun();
      return changes.takeForeignWrites();
    },
    lease: (request, pendingSince) => callWithoutSync((onRollback) => leasing.lease(request, pendingSince, onRollback)),
    record: (...outcomes) => callWithoutSync((onRollback) => leasing.record(...outcomes, onRollback)),
    redeliver: (query, time) => call(() => leasing.redeliver(query, time)),
    withdraw: (withdrawal) =>
      make(() => ('replay' in withdrawal ? replays.cancel(withdrawal.replay) : gates.close(withdrawal.listenerId))),
    ...inCalls(steps, callWithoutSync),
    async forget(step) {
      if (step.of !== 'organisation') return callWithoutSync(() => forget(step));
      const forgotten = await call((onRollback) => forgetOrganisation(step, onRollback));
      if (forgotten.next !== undefined) return forgotten;
      withStoreErrors(database.name, () => vacuum(database));
      await emptyLog();
      return forgotten;
    },
    async close() {
      try {
        await close();
      } finally {
        await wal.close();
        if (database.open) database.close();
      }
    },
  };
  return openQueue(queue, checkpoints.clock);
}

/** No sync for a batch with its checkpoint: a loss of power only repeats work. */
const isSynced = (batch: FanOutBatch): boolean => {
  const checkpoints = checkpointsOf(batch);
  return checkpoints.length === 0 || checkpoints.some(({ follows }) => !follows);
};

function openQueueParts(database: Database.Database, takeStep: TakeStep) {
  const shared = openShared(database);
  const checkpoints = openCheckpoints(database);
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
  const firstDue = openFirstDue(database, shared.changes);
  const first = openFirstDeliveries(shared, { checkpoints, listenerStore, messages, write, firstDue });
  const { counts, listenerStates } = openDeliveryReader(shared);

  return {
    changes: shared.changes,
    checkpoints,
    first,
    leasing: {
      enqueue: openEnqueue({
        gates,
        messages,
        release,
        replays,
        setAside,
        listenerStore,
        write,
        moveCheckpoint: checkpoints.move,
        takeStep,
      }),
      lease: openLease(shared, firstDue),
      record: openRecord(shared, { activity, statistics, firstDeliveries: first }),
      redeliver: openRedeliver(shared, list),
    },
    gates,
    replays,
    forget: openForget(shared),
    forgetOrganisation: openForgetOrganisation(shared),
    steps: {
      positions: checkpoints.ofAll,
      counts,
      ...openLists(database, list),
      exhausted: openExhausted(database),
      ...openKnownEvents(database),
      waiting: checkpoints.waiting.firstOf,
      setAside: setAside.list,
      listenerStates,
      statistics: statistics.read,
      activity: activity.read,
      listeners: openListeners(database),
      closedGates: gates.closedOf,
    },
    transactions: {
      /** Another process may have enqueued deliveries, closed a gate, or deleted an organisation. */
      onBegun(): void {
        if (shared.changes.detectForeignWrites()) shared.fullyLeased.invalidate();
      },
      onCommitting(): void {
        activity.write();
        shared.stateCounts.write();
      },
      onRolledBack(): void {
        shared.changes.rolledBack();
        activity.rolledBack();
        shared.stateCounts.rolledBack();
      },
    },
  };
}

type Steps = Readonly<Record<string, (...args: never[]) => unknown>>;
type Calls<All extends Steps> = {
  readonly [Name in keyof All]: (...args: Parameters<All[Name]>) => Promise<ReturnType<All[Name]>>;
};

const inCalls = <All extends Steps>(all: All, run: <Result>(step: () => Result) => Promise<Result>): Calls<All> =>
  Object.fromEntries(
    Object.entries(all).map(([name, step]) => [name, (...args: never[]) => run(() => step(...args))]),
  ) as unknown as Calls<All>; // each by its own name
