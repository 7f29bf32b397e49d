import type Database from 'better-sqlite3';
import { openDatabaseFile } from '../../stores/sqlite/database-file.js';
import { type OnRollback, openGroupCommit } from '../../stores/sqlite/group-commit.js';
import { truncateWalOf, vacuum } from '../../stores/sqlite/reclaim-space.js';
import { withStoreErrors } from '../../stores/sqlite/sqlite-errors.js';
import { walSync } from '../../stores/sqlite/wal-sync.js';
import type { EventsQuery } from '../queue/delivery-log.js';
import type { DeliveryQueue } from '../queue/delivery-queue.js';
import { checkpointsOf, type FanOutBatch } from '../queue/leasing.js';
import { onQueueTime, type QueueOnItsTime } from '../queue/on-queue-time.js';
import { QueueClock } from '../queue/policy/queue-clock.js';
import { openCheckpoints } from './checkpoints.js';
import { openForget, openForgetOrganisation } from './commands/forget.js';
import { openRedeliver, openReleaseHeld } from './commands/redeliver.js';
import { openSetAside } from './commands/set-aside.js';
import { openEnqueue } from './enqueue/enqueue.js';
import { openMessages, openWriteDeliveries } from './enqueue/write-deliveries.js';
import { openLease } from './lease/lease-deliveries.js';
import { openGateStore, openReplays } from './listeners/gates.js';
import { openListenerStore } from './listeners/listener-store.js';
import { openKnownEvents } from './log/known-events.js';
import { openExhausted, openList, openLists } from './log/list-deliveries.js';
import { openBacklog, openDeliveryReader, openListenersInTrouble } from './log/read-deliveries.js';
import { longChanges, type TakeStep, takesSteps } from './long-changes.js';
import { openRecord } from './outcomes/record-outcomes.js';
import { openActivity, openAttemptStatistics } from './outcomes/statistics.js';
import { deliveriesFile } from './schema.js';
import { openShared } from './shared.js';
import { openWriteBehind } from './write-behind.js';

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
  const { clock, writeBehind, leasing, gates, replays, events, forget, forgetOrganisation, steps, transactions } =
    openQueueParts(database, takeStep);
  const commits = openGroupCommit(database, { wal, busyTimeoutMs, ...transactions });
  const { call, callWithoutSync, close } = commits;
  const endFlushing = writeBehind.startFlushing(callWithoutSync);
  const emptyLog = truncateWalOf(database, busyTimeoutMs);
  const { complete, make } = longChanges(commits, wal, writeBehind, takeStep);

  const afterFlush =
    <Result>(step: (onRollback: OnRollback) => Result) =>
    (onRollback: OnRollback): Result => {
      writeBehind.flush(onRollback);
      return step(onRollback);
    };

  const queue: QueueOnItsTime = {
    async enqueue(batch, time, request) {
      const { left, ...enqueued } = await (isSynced(batch) ? call : callWithoutSync)((onRollback) => ({
        ...leasing.enqueue(batch, time, onRollback),
        ...(request && { lease: leasing.lease(request, onRollback) }),
      }));
      await complete(left, checkpointsOf(batch), isSynced(batch));
      return enqueued;
    },
    lease: (request) => callWithoutSync((onRollback) => leasing.lease(request, onRollback)),
    record: (outcomes, time) => callWithoutSync((onRollback) => leasing.record(outcomes, time, onRollback)),
    redeliver: (query, time) => call(afterFlush(() => leasing.redeliver(query, time))),
    withdraw: (withdrawal) =>
      make(() => ('replay' in withdrawal ? replays.cancel(withdrawal.replay) : gates.close(withdrawal.listenerId))),
    ...inCalls(steps.ofDeliveries, (step) => callWithoutSync(afterFlush(step))),
    ...inCalls(steps.beside, callWithoutSync),
    events: (query) => callWithoutSync(mayMissNewest(query) ? () => events(query) : afterFlush(() => events(query))),
    async forget(step) {
      if (step.of !== 'organisation') return callWithoutSync(afterFlush(() => forget(step)));
      const forgotten = await call(afterFlush((onRollback) => forgetOrganisation(step, onRollback)));
      if (forgotten.next !== undefined) return forgotten;
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

/** No sync for a batch with its checkpoint: a loss of power only repeats work. */
const isSynced = (batch: FanOutBatch): boolean => {
  const checkpoints = checkpointsOf(batch);
  return checkpoints.length === 0 || checkpoints.some(({ follows }) => !follows);
};

/** Repeated often by an open page. */
const mayMissNewest = (query: EventsQuery): boolean => !('eventId' in query || 'upTo' in query);

function openQueueParts(database: Database.Database, takeStep: TakeStep) {
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
  const writeBehind = openWriteBehind(shared, { checkpoints, clock, listenerStore, messages, write });
  const { body, events } = openKnownEvents(database);
  const { counts, attempts, ...listenerStates } = openDeliveryReader(shared);

  return {
    clock,
    writeBehind,
    leasing: {
      enqueue: openEnqueue({
        gates,
        messages,
        release,
        replays,
        setAside,
        listenerStore,
        write,
        writeBehind,
        takeStep,
      }),
      lease: openLease(shared, writeBehind),
      record: openRecord(shared, { activity, statistics, writeBehind }),
      redeliver: openRedeliver(shared, list),
    },
    gates,
    replays,
    events,
    forget: openForget(shared),
    forgetOrganisation: openForgetOrganisation(shared),
    steps: {
      ofDeliveries: {
        positions: checkpoints.ofAll,
        counts,
        attempts,
        ...openLists(database, list),
        exhausted: openExhausted(database),
        body,
      },
      /** Repeated often by an open page, so these do not write the buffer, which would undo its savings. */
      beside: {
        waiting: checkpoints.waiting.firstOf,
        setAside: setAside.list,
        ...listenerStates,
        statistics: statistics.read,
        activity: activity.read,
        listenersInTrouble: openListenersInTrouble(database),
        backlog: openBacklog(database),
        closedGates: gates.closedOf,
      },
    },
    transactions: {
      /** Another process may have enqueued deliveries, closed a gate, or deleted an organisation. */
      onBegun(onRollback: OnRollback): void {
        if (!shared.changes.detectForeignWrites()) return;
        shared.fullyLeased.invalidate();
        writeBehind.flush(onRollback);
      },
      onCommitting(): void {
        activity.write();
        shared.tally.write();
      },
      onRolledBack(): void {
        shared.changes.rolledBack();
        activity.rolledBack();
        shared.tally.rolledBack();
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
