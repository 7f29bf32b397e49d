import { openDatabaseFile } from '../../stores/sqlite/database-file.js';
import { type OnRollback, openGroupCommit } from '../../stores/sqlite/group-commit.js';
import { withStoreErrors } from '../../stores/sqlite/sqlite-errors.js';
import { walTruncater } from '../../stores/sqlite/truncate-wal.js';
import { vacuum } from '../../stores/sqlite/vacuum.js';
import { walSync } from '../../stores/sqlite/wal-sync.js';
import type { DeliveryQueue } from '../queue/delivery-queue.js';
import type { FanOutBatch } from '../queue/leasing.js';
import { onQueueTime, type QueueOnItsTime } from '../queue/on-queue-time.js';
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
    ...deliveryLog(parts, commits),
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
