import type Database from 'better-sqlite3';
import { StoreUnavailable } from '../../kernel/store-errors.js';
import { asStoreError } from '../../stores/sqlite/sqlite-errors.js';
import type { WalSync } from '../../stores/sqlite/wal-sync.js';

/** Registers a function that undoes a change in memory if the transaction does not commit. */
export type OnRollback = (undo: () => void) => void;

type Run<Result> = (onRollback: OnRollback) => Result;

type Call = {
  readonly run: Run<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
};

export type GroupCommit = {
  /** Runs the call in a transaction, after earlier calls. Resolves once the transaction is durable. */
  readonly call: <Result>(run: Run<Result>) => Promise<Result>;
  /**
   * Like `call`, but resolves at the commit; the WAL is synced within 250 ms. Only a loss of power before the sync undoes
   * the transaction, together with all later ones.
   */
  readonly callWithoutSync: <Result>(run: Run<Result>) => Promise<Result>;
  /** Runs the waiting calls and resolves once they are durable. Later calls are rejected with `StoreUnavailable`. */
  readonly close: () => Promise<void>;
};

/** Interval between syncs that no call waits for: a sync delays other syncs of the same disk. */
const syncIntervalMs = 250;

/**
 * Group commit: calls of the same tick share one transaction. They run in order, after `onBegun`, which is part of the
 * transaction. `onRolledBack` is called after each transaction that did not commit.
 */
export function openGroupCommit(
  database: Database.Database,
  log: Pick<WalSync, 'synced'>,
  { onBegun, onRolledBack }: { readonly onBegun: Run<void>; readonly onRolledBack: () => void },
): GroupCommit {
  let waiting: Call[] = [];
  let closed = false;
  let syncTimer: NodeJS.Timeout | undefined;
  const changes = database.prepare<[], number>('SELECT total_changes()').pluck();
  let synced = changes.get();

  function scheduleSync(): void {
    if (changes.get() === synced) return;
    syncTimer ??= setTimeout(() => {
      syncTimer = undefined;
      synced = changes.get();
      log.synced().catch(() => undefined); // calls that wait for this sync are rejected as well
    }, syncIntervalMs).unref();
  }

  const runAll = database.transaction((calls: readonly Call[], onRollback: OnRollback): readonly unknown[] => {
    onBegun(onRollback);
    return calls.map(({ run }) => run(onRollback));
  });

  function runAlone(call: Call): void {
    try {
      call.resolve(transact([call])[0]);
    } catch (error) {
      call.reject(asStoreError(error, database.name));
    }
  }

  function transact(calls: readonly Call[]): readonly unknown[] {
    const undo: (() => void)[] = [];
    const onRollback: OnRollback = (step) => void undo.push(step);
    try {
      return runAll.immediate(calls, onRollback);
    } catch (error) {
      for (const step of undo.reverse()) step();
      onRolledBack();
      throw error;
    }
  }

  const flush = () => {
    const calls = waiting;
    waiting = [];
    if (calls.length === 0) return;
    try {
      const results = transact(calls);
      for (const [index, { resolve }] of calls.entries()) resolve(results[index]);
    } catch (error) {
      if (calls.length === 1) return calls[0]?.reject(asStoreError(error, database.name));
      // One call failed: run each in its own transaction, so that the others succeed.
      for (const call of calls) runAlone(call);
    } finally {
      scheduleSync();
    }
  };

  const callWithoutSync: GroupCommit['callWithoutSync'] = (run) =>
    new Promise((resolve, reject) => {
      if (closed) return reject(new StoreUnavailable('the delivery queue is closed'));
      const call = { run, resolve: resolve as (result: unknown) => void, reject };
      if (waiting.push(call) === 1) queueMicrotask(flush);
    });

  return {
    async call(run) {
      const result = await callWithoutSync(run);
      await log.synced();
      return result;
    },
    callWithoutSync,
    async close() {
      closed = true;
      flush();
      clearTimeout(syncTimer);
      await log.synced();
    },
  };
}
