import type Database from 'better-sqlite3';
import { StoreUnavailable } from '../../kernel/store-errors.js';
import { asStoreError } from '../../stores/sqlite/sqlite-errors.js';
import type { WalSync } from '../../stores/sqlite/wal-sync.js';

/** What a call changes in memory is undone where its transaction does not commit. */
export type OnRollback = (undo: () => void) => void;

type Run<Result> = (onRollback: OnRollback) => Result;

type Call = {
  readonly run: Run<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
};

export type GroupedCalls = {
  /** Runs the call, after those that were made before it, in a transaction; resolves once that is durable. */
  readonly call: <Result>(run: Run<Result>) => Promise<Result>;
  /**
   * The same, and does not wait for the disk, which has it a quarter of a second later: a loss of power in between, and
   * nothing less, undoes what it wrote with all that came after it.
   */
  readonly callUnsynced: <Result>(run: Run<Result>) => Promise<Result>;
  /** Runs what still waits, and resolves once it is durable; what comes later is refused with `StoreUnavailable`. */
  readonly close: () => Promise<void>;
};

/** A sync holds others up that the same disk has to do, so it is not asked for more often than this without need. */
const syncWithinMs = 250;

/**
 * Calls that wait in the same tick share one transaction. They run in the order they came, after `onBegun`, which is part of
 * the transaction; `onTakenBack` is told of each one that did not commit.
 */
export function groupCalls(
  database: Database.Database,
  log: Pick<WalSync, 'synced'>,
  { onBegun, onTakenBack }: { readonly onBegun: Run<void>; readonly onTakenBack: () => void },
): GroupedCalls {
  let waiting: Call[] = [];
  let closed = false;
  let syncing: NodeJS.Timeout | undefined;
  const changes = database.prepare<[], number>('SELECT total_changes()').pluck();
  let synced = changes.get();

  function syncSoon(): void {
    if (changes.get() === synced) return;
    syncing ??= setTimeout(() => {
      syncing = undefined;
      synced = changes.get();
      log.synced().catch(() => undefined); // it fails for whoever waits for it, too
    }, syncWithinMs).unref();
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
      onTakenBack();
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
      syncSoon();
    }
  };

  const callUnsynced: GroupedCalls['callUnsynced'] = (run) =>
    new Promise((resolve, reject) => {
      if (closed) return reject(new StoreUnavailable('the delivery queue is closed'));
      const call = { run, resolve: resolve as (result: unknown) => void, reject };
      if (waiting.push(call) === 1) queueMicrotask(flush);
    });

  return {
    async call(run) {
      const result = await callUnsynced(run);
      await log.synced();
      return result;
    },
    callUnsynced,
    async close() {
      closed = true;
      flush();
      clearTimeout(syncing);
      await log.synced();
    },
  };
}
