import type Database from 'better-sqlite3';
import { StoreUnavailable } from '../../kernel/store-errors.js';
import type { LogSync } from '../../stores/sqlite/log-sync.js';
import { asStoreError } from '../../stores/sqlite/sqlite-errors.js';

/** What a call changes in memory is undone where its transaction does not commit. */
export type OnRollback = (undo: () => void) => void;

type Run<Result> = (onRollback: OnRollback) => Result;

type Call = {
  readonly run: Run<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
};

export type GroupCommit = {
  /** Runs the call, after those that were made before it, in a transaction; resolves once that is durable. */
  readonly call: <Result>(run: Run<Result>) => Promise<Result>;
  /**
   * The same, and does not wait for the disk, which has it a quarter of a second later: a loss of power in between, and
   * nothing less, undoes what it wrote with all that came after it.
   */
  readonly callWithoutSync: <Result>(run: Run<Result>) => Promise<Result>;
  /** Runs what still waits, and resolves once it is durable; what comes later is refused with `StoreUnavailable`. */
  readonly close: () => Promise<void>;
};

/** A sync holds others up that the same disk has to do, so it is not asked for more often than this without need. */
const syncIntervalMs = 250;

/**
 * Calls that wait in the same tick share one transaction. They run in the order they came, after `onBegun`, which is part of
 * the transaction; `onRolledBack` is told of each one that did not commit.
 */
export function openGroupCommit(
  database: Database.Database,
  log: Pick<LogSync, 'synced'>,
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
      log.synced().catch(() => undefined); // it fails for whoever waits for it, too
    }, syncIntervalMs).unref();
  }

  const runAll = database.transaction((calls: readonly Call[], onRollback: OnRollback): readonly unknown[] => {
    onBegun(onRollback);
    return calls.map(({ run }) => run(onRollback));
  });

  function settleAlone(call: Call): void {
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
      // One of them cannot be done; the others shall not suffer from it.
      for (const call of calls) settleAlone(call);
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
