import { openDatabaseFile } from '../../stores/sqlite/database-file.js';
import { type OnRollback, openGroupCommit } from '../../stores/sqlite/group-commit.js';
import { withStoreErrors } from '../../stores/sqlite/sqlite-errors.js';
import { walTruncater } from '../../stores/sqlite/truncate-wal.js';
import { vacuum } from '../../stores/sqlite/vacuum.js';
import { walSync } from '../../stores/sqlite/wal-sync.js';
import type { DeliveryQueue } from '../queue/delivery-queue.js';
import type { FanOutBatch } from '../queue/leasing.js';
import { onQueueTime, type QueueOnItsTime } from '../queue/on-queue-time.js';
import { openFlushTimer } from './enqueue/flush-timer.js';
import { deliveryLog } from './log/delivery-log.js';
import { longChanges } from './long-changes.js';
import { openQueueParts } from './queue-parts.js';
import { deliveriesFile } from './schema.js';
import { waitingEventCalls } from './waiting-events.js';

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
  const { activity, buffer, bufferWriter, changes, checkpoints, clock, fullyLeased, gates } = parts;
  const { enqueueBatch, lease, purge, record, redeliver, replays, setAside } = parts;
  const commits = openGroupCommit(database, {
    wal,
    busyTimeoutMs,
    onBegun,
    onCommitting: activity.write,
    onRolledBack,
  });
  const { call, callWithoutSync, close } = commits;
  const flushTimer = openFlushTimer(bufferWriter, callWithoutSync);
  const emptyLog = walTruncater(database, busyTimeoutMs);

  /** Another process may have enqueued deliveries, closed a gate, or deleted an organisation. */
  function onBegun(onRollback: OnRollback): void {
    onRollback(() => buffer.sort()); // registered first, so that it is undone last
    if (!changes.detectForeignWrites()) return;
    fullyLeased.invalidate();
    buffer.forgetKeys(onRollback);
    bufferWriter.flush(onRollback);
  }

  function onRolledBack(): void {
    changes.rolledBack();
    activity.rolledBack();
  }

  /** Runs a step after writing the buffer, for steps that read or change deliveries. */
  const withFlushedBuffer =
    <Result>(run: (onRollback: OnRollback) => Result) =>
    (onRollback: OnRollback): Result => {
      bufferWriter.flush(onRollback);
      return run(onRollback);
    };

  const { complete, make } = longChanges(commits, wal, bufferWriter);

  const queue: QueueOnItsTime = {
    async enqueue(batch, time, request) {
      const { left, ...enqueued } = await (isSynced(batch) ? call : callWithoutSync)((onRollback) => ({
        ...enqueueBatch(batch, time, onRollback),
        ...(request && { lease: lease(request, onRollback) }),
      }));
      flushTimer.schedule();
      await complete(left, batch.checkpoint, isSynced(batch));
      return enqueued;
    },
    checkpoint: (name) => callWithoutSync(withFlushedBuffer(() => checkpoints.of(name))),
    lease: (request) => callWithoutSync((onRollback) => lease(request, onRollback)),
    record: (outcomes, time) => callWithoutSync((onRollback) => record(outcomes, time, onRollback)),
    redeliver: (query, time) => call(withFlushedBuffer((onRollback) => redeliver(query, time, onRollback))),
    cancelReplay: (replay) => make(() => replays.cancel(replay)),
    closeGate: (listenerId) => make(() => gates.close(listenerId)),
    closedGates: (listenerIds) => callWithoutSync(() => new Set(listenerIds.filter((each) => !gates.isOpen(each)))),
    listSetAside: (query) => callWithoutSync(() => setAside.list(query)),
    explainSetAside: (position, reason) => call(() => setAside.explain(position, reason)),
    removeSetAside: (position) => call(() => setAside.remove(position)),
    ...waitingEventCalls(checkpoints.waiting, commits),
    ...deliveryLog(parts, commits),
    purge: (request) => callWithoutSync(withFlushedBuffer(() => purge(request))),
    forgetPublished: (request) => callWithoutSync(withFlushedBuffer(() => parts.forgetPublished(request))),
    forgetDays: (request) => callWithoutSync(() => parts.forgetDays(request)),
    async forgetOrganisation(request) {
      const forgotten = await call(withFlushedBuffer((onRollback) => parts.forgetOrganisation(request, onRollback)));
      if (forgotten === request.limit) return forgotten;
      withStoreErrors(database.name, () => vacuum(database));
      await emptyLog();
      return forgotten;
    },
    async close() {
      flushTimer.stop();
      await callWithoutSync(bufferWriter.flush).catch(() => undefined); // the fan-out enqueues again what cannot be written now
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
