import type Database from 'better-sqlite3';
import { asStoreError, isBusy } from '../../data-directory/sqlite-errors.js';
import { WrongExpectedRevision } from '../errors.js';

/** What shares one transaction at most, so that a flood of appends does not hold the thread for long. */
const maxGroup = { writes: 1024, bytes: 8 * 1_048_576 };
const retryBusyAfterMs = 5;

/**
 * One append or deletion, within a transaction that is not its own; `bytes`: what it writes. Where it throws
 * `WrongExpectedRevision` it has written nothing.
 */
export type Write<Result> = { readonly bytes: number; readonly run: () => Result };

type Waiting = {
  readonly write: Write<unknown>;
  readonly since: number;
  readonly settle: (outcome: Outcome) => void;
};
type Outcome = { readonly result: unknown } | { readonly error: unknown };

export type GroupCommit = {
  /** Resolves once the write is durable. */
  readonly commit: <Result>(write: Write<Result>) => Promise<Result>;
  /** Resolves once nothing waits. */
  readonly drained: () => Promise<void>;
};

/**
 * Writes that wait in the same tick share a transaction, and its one sync of the disk: each of them is judged by itself,
 * and none is answered before the commit. Where another process holds the lock, they wait for it up to `busyTimeoutMs`
 * without blocking the thread.
 */
export function groupCommit(
  database: Database.Database,
  options: { readonly busyTimeoutMs: number; readonly onCommit: () => void },
): GroupCommit {
  let waiting: Waiting[] = [];
  let scheduled = false;
  const onDrained: (() => void)[] = [];

  const commitTogether = database.transaction((group: readonly Waiting[]) => group.map(({ write }) => judge(write)));

  function judge(write: Write<unknown>): Outcome {
    try {
      return { result: write.run() };
    } catch (error) {
      if (error instanceof WrongExpectedRevision) return { error }; // it wrote nothing; the others go on
      throw error;
    }
  }

  function commitNext(): void {
    scheduled = false;
    const group = firstGroup(waiting);
    const outcomes = commit(group);
    for (const [index, outcome] of outcomes.entries()) group[index]?.settle(outcome);
    waiting = waiting.slice(outcomes.length);

    if (waiting.length > 0) {
      schedule(outcomes.length === 0 ? retryBusyAfterMs : undefined);
    } else {
      for (const resolve of onDrained.splice(0)) resolve();
    }
  }

  /** One outcome for each append; while the lock is busy, only for those that have waited for it long enough. */
  function commit(group: readonly Waiting[]): readonly Outcome[] {
    try {
      const outcomes = commitTogether.immediate(group);
      options.onCommit();
      return outcomes;
    } catch (error) {
      const failure = { error: asStoreError(error, database.name) };
      const overdue = performance.now() - options.busyTimeoutMs;
      const failed = isBusy(error) ? group.filter(({ since }) => since <= overdue) : group;
      return failed.map(() => failure);
    }
  }

  function schedule(afterMs?: number): void {
    if (scheduled) return;
    scheduled = true;
    if (afterMs === undefined) setImmediate(commitNext);
    else setTimeout(commitNext, afterMs);
  }

  return {
    commit: <Result>(write: Write<Result>) =>
      new Promise<Result>((resolve, reject) => {
        const settle = (outcome: Outcome) =>
          'error' in outcome ? reject(outcome.error) : resolve(outcome.result as Result); // it has run this write
        waiting.push({ write, since: performance.now(), settle });
        schedule();
      }),
    drained: () =>
      new Promise((resolve) => {
        if (waiting.length === 0) resolve();
        else onDrained.push(resolve);
      }),
  };
}

function firstGroup(waiting: readonly Waiting[]): readonly Waiting[] {
  let bytes = 0;
  const end = waiting.findIndex(({ write }, index) => {
    bytes += write.bytes;
    return index > 0 && (index >= maxGroup.writes || bytes > maxGroup.bytes);
  });
  return end === -1 ? waiting : waiting.slice(0, end);
}
