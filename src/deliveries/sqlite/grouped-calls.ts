import type Database from 'better-sqlite3';
import { asStoreError } from '../../data-directory/sqlite-errors.js';
import { StoreUnavailable } from '../../event-store/errors.js';

/** What a call changes in memory is undone where its transaction does not commit. */
export type OnRollback = (undo: () => void) => void;

type Call = CallOptions & {
  readonly run: (onRollback: OnRollback) => unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
};

export type CallOptions = {
  /**
   * Whether the disk is synced before it resolves. Without that a loss of power, and nothing less, may undo the call, and
   * all that came after it: whatever is synced takes with it what came before.
   */
  readonly synced: boolean;
};

export type GroupedCalls = {
  /** Runs the call, after those that were made before it, in a transaction; resolves once that is durable. */
  readonly call: <Result>(run: (onRollback: OnRollback) => Result, options?: CallOptions) => Promise<Result>;
  /** Runs what still waits, and refuses what comes later with `StoreUnavailable`. */
  readonly close: () => void;
};

/** Calls that wait in the same tick share one transaction, and so one write to the disk. They run in the order they came. */
export function groupCalls(database: Database.Database): GroupedCalls {
  let waiting: Call[] = [];
  let closed = false;
  let syncs = true;

  function syncFor(calls: readonly Call[]): void {
    const wanted = calls.some(({ synced }) => synced);
    if (wanted !== syncs) database.pragma(`synchronous = ${wanted ? 'FULL' : 'NORMAL'}`);
    syncs = wanted;
  }

  const flush = () => {
    const calls = waiting;
    waiting = [];
    if (calls.length === 0) return;
    try {
      syncFor(calls);
      const results = transact(database, calls);
      for (const [index, { resolve }] of calls.entries()) resolve(results[index]);
    } catch (error) {
      if (calls.length === 1) return calls[0]?.reject(asStoreError(error, database.name));
      // One of them cannot be done; the others shall not suffer from it.
      for (const call of calls) settleAlone(database, call);
    }
  };

  return {
    call: (run, { synced } = { synced: true }) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new StoreUnavailable('the delivery queue is closed'));
        const call = { run, synced, resolve: resolve as (result: unknown) => void, reject };
        if (waiting.push(call) === 1) setImmediate(flush);
      }),
    close() {
      closed = true;
      flush();
    },
  };
}

function settleAlone(database: Database.Database, call: Call): void {
  try {
    call.resolve(transact(database, [call])[0]);
  } catch (error) {
    call.reject(asStoreError(error, database.name));
  }
}

function transact(database: Database.Database, calls: readonly Call[]): readonly unknown[] {
  const undo: (() => void)[] = [];
  try {
    return database.transaction(() => calls.map(({ run }) => run((step) => undo.push(step)))).immediate();
  } catch (error) {
    for (const step of undo.reverse()) step();
    throw error;
  }
}
