import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { StoreUnavailable } from '../../kernel/store-errors.js';
import { asStoreError, isBusy } from './sqlite-errors.js';
import type { SyncedWal } from './wal-sync.js';

/** Registers a function that undoes a change in memory if the transaction does not commit. */
export type OnRollback = (undo: () => void) => void;

type Run<Result> = (onRollback: OnRollback) => Result;

type Call = {
  run: Run<unknown>;
  bytes: number;
  isSynced: boolean;
  /** Time on the monotonic clock. */
  since: number;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
};

export type GroupCommitOptions = {
  wal: SyncedWal;
  /** Wait for another process's lock, without blocking the thread. */
  busyTimeoutMs: number;
  /** Called at the start of each transaction; may throw. */
  onBegun?: Run<void>;
  /** Called before each commit; may throw. */
  onCommitting?: () => void;
  onRolledBack?: () => void;
  /** The returned function is called once the commit is durable, before its calls resolve. */
  onCommitted?: () => () => void;
};

export type GroupCommit = {
  /** Runs in a transaction, after earlier calls; resolves once it is durable. `bytes`: size of the write. */
  call: <Result>(run: Run<Result>, bytes?: number) => Promise<Result>;
  /**
   * Resolves at the commit; the WAL is synced within 250 ms. Only a loss of power before undoes the transaction, with
   * all later ones.
   */
  callWithoutSync: <Result>(run: Run<Result>) => Promise<Result>;
  /** Resolves once waiting calls are durable. Later calls are rejected with `StoreUnavailable`. */
  close: () => Promise<void>;
};

/** Bounds the time for which one transaction blocks the thread. */
const maxGroup = { calls: 1_024, bytes: 8 * 1_048_576 };
const retryBusyAfterMs = 5;

/** A sync that no call waits for delays other syncs of the same disk. */
const syncIntervalMs = 250;

/**
 * Calls of one turn of the event loop share a transaction and its sync, in their order; if one throws, each gets its
 * own transaction. Neither the disk nor a lock of another process blocks the thread.
 */
export function openGroupCommit(
  database: Database.Database,
  { wal, busyTimeoutMs, onBegun, onCommitting, onRolledBack, onCommitted }: GroupCommitOptions,
): GroupCommit {
  let waiting: Call[] = [];
  let flushing: Promise<void> | undefined;
  let closed = false;
  let syncTimer: NodeJS.Timeout | undefined;
  const changes = database.prepare<[], number>('SELECT total_changes()').pluck();
  let synced = changes.get();

  const runAll = database.transaction((calls: readonly Call[], onRollback: OnRollback): readonly unknown[] => {
    onBegun?.(onRollback);
    const results = calls.map(({ run }) => run(onRollback));
    onCommitting?.();
    return results;
  });

  function transact(calls: readonly Call[]): readonly unknown[] {
    const undo: (() => void)[] = [];
    try {
      return runAll.immediate(calls, (step) => void undo.push(step));
    } catch (error) {
      for (const step of undo.reverse()) step();
      onRolledBack?.();
      throw error;
    }
  }

  function scheduleSync(): void {
    if (changes.get() === synced) return;
    syncTimer ??= setTimeout(() => {
      syncTimer = undefined;
      synced = changes.get();
      wal.synced().catch(() => undefined); // calls that wait for this sync are rejected as well
    }, syncIntervalMs).unref();
  }

  function resolveAll(calls: readonly Call[], results: readonly unknown[]): void {
    const onDurable = onCommitted?.();
    const isSyncNeeded = calls.some(({ isSynced }) => isSynced);
    if (isSyncNeeded) synced = changes.get();
    else scheduleSync();
    const durable = isSyncNeeded ? wal.synced().then(onDurable) : undefined;
    for (const [index, { isSynced, resolve, reject }] of calls.entries()) {
      if (durable && isSynced) durable.then(() => resolve(results[index]), reject);
      else resolve(results[index]);
    }
  }

  /** Number of settled calls: while the lock is busy, only those that have waited for `busyTimeoutMs`. */
  function commit(group: readonly Call[]): number {
    let results: readonly unknown[];
    try {
      results = transact(group);
    } catch (error) {
      const overdue = performance.now() - busyTimeoutMs;
      const failed = isBusy(error) ? group.filter(({ since }) => since <= overdue) : group;
      if (!isBusy(error) && group.length > 1) return commitEach(group);
      for (const { reject } of failed) reject(asStoreError(error, database.name));
      return failed.length;
    }
    resolveAll(group, results);
    return group.length;
  }

  function commitEach(group: readonly Call[]): number {
    const stuck = group.findIndex((call) => commit([call]) === 0);
    return stuck === -1 ? group.length : stuck;
  }

  async function flush(): Promise<void> {
    await nextTurn();
    while (waiting.length > 0) {
      const settled = commit(firstGroup(waiting));
      waiting = waiting.slice(settled);
      if (waiting.length > 0) await (settled === 0 ? pause(retryBusyAfterMs) : nextTurn());
    }
    flushing = undefined;
  }

  const add = <Result>(run: Run<Result>, isSynced: boolean, bytes = 0): Promise<Result> =>
    new Promise<Result>((resolve, reject) => {
      if (closed) return reject(new StoreUnavailable(`${database.name} is closed`));
      const settle = resolve as (result: unknown) => void; // it gets the result of this call
      waiting.push({ run, bytes, isSynced, since: performance.now(), resolve: settle, reject });
      flushing ??= flush();
    });

  return {
    call: (run, bytes) => add(run, true, bytes),
    callWithoutSync: (run) => add(run, false),
    async close() {
      closed = true;
      await flushing;
      clearTimeout(syncTimer);
      await wal.synced();
    },
  };
}

function firstGroup(waiting: readonly Call[]): readonly Call[] {
  let bytes = 0;
  const end = waiting.findIndex((call, index) => {
    bytes += call.bytes;
    return index > 0 && (index >= maxGroup.calls || bytes > maxGroup.bytes);
  });
  return waiting.slice(0, end === -1 ? waiting.length : end);
}
