import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { StoreUnavailable } from '../../kernel/store-errors.js';
import { asStoreError, isBusy } from './sqlite-errors.js';
import type { WalSync } from './wal-sync.js';

/** Registers a function that undoes a change in memory if the transaction does not commit. */
export type OnRollback = (undo: () => void) => void;

/** One call, within the group's transaction. */
type Run<Result> = (onRollback: OnRollback) => Result;

type Call = {
  readonly run: Run<unknown>;
  readonly bytes: number;
  readonly isSynced: boolean;
  /** When it came, on the monotonic clock. */
  readonly since: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
};

export type GroupCommitOptions = {
  readonly wal: Pick<WalSync, 'synced'>;
  /** How long a call waits for the lock while another process holds it; the thread is not blocked. */
  readonly busyTimeoutMs: number;
  /** Called at the start of each transaction; may throw. */
  readonly onBegun?: Run<void>;
  /** Called at the end of each transaction, before its commit; may throw. */
  readonly onCommitting?: () => void;
  /** Called after each transaction that did not commit. */
  readonly onRolledBack?: () => void;
  /** Called after each commit; the function it returns is called once the commit is durable, before its calls resolve. */
  readonly onCommitted?: () => () => void;
};

export type GroupCommit = {
  /** Runs the call in a transaction, after earlier calls. Resolves once the transaction is durable. `bytes`: what it writes. */
  readonly call: <Result>(run: Run<Result>, bytes?: number) => Promise<Result>;
  /**
   * Like `call`, but resolves at the commit; the WAL is synced within 250 ms. Only a loss of power before the sync undoes
   * the transaction, together with all later ones.
   */
  readonly callWithoutSync: <Result>(run: Run<Result>) => Promise<Result>;
  /** Resolves once the waiting calls have run and are durable. Later calls are rejected with `StoreUnavailable`. */
  readonly close: () => Promise<void>;
};

/** Maximum size of one transaction, so that many calls do not block the thread for long. */
const maxGroup = { calls: 1_024, bytes: 8 * 1_048_576 };
const retryBusyAfterMs = 5;

/** Interval between syncs that no call waits for: a sync delays other syncs of the same disk. */
const syncIntervalMs = 250;

/**
 * Group commit: calls of the same turn of the event loop share one transaction and its sync, in their order. If one throws, each
 * runs in a transaction of its own. Neither the disk nor a lock of another process blocks the thread.
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

  /** Returns how many calls have been settled: while the lock is busy, only those that have waited for `busyTimeoutMs`. */
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
