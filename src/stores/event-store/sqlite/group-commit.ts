import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { asStoreError, isBusy } from '../../sqlite/sqlite-errors.js';
import type { WalSync } from '../../sqlite/wal-sync.js';
import { WrongExpectedRevision } from '../errors.js';

/** Maximum size of one transaction, so that many appends do not block the thread for long. */
const maxGroup = { writes: 1024, bytes: 8 * 1_048_576 };
const retryBusyAfterMs = 5;

/**
 * One append or deletion, run within the group's transaction; `bytes`: its size. When it throws `WrongExpectedRevision`
 * it has written nothing.
 */
export type Write<Result> = { readonly bytes: number; readonly run: () => Result };

type Waiting = {
  readonly write: Write<unknown>;
  readonly since: number;
  readonly settle: (outcome: Outcome) => void;
};
type Outcome = { readonly result: unknown } | { readonly error: unknown };

export type GroupCommitOptions = {
  readonly wal: Pick<WalSync, 'synced'>;
  /** How long a write waits for the lock while another process holds it. */
  readonly busyTimeoutMs: number;
  /** Called at the start of a transaction; may throw. */
  readonly onBegin: () => void;
  /** Called after each commit; the function it returns is called once the commit is durable. */
  readonly onCommit: () => () => void;
};

export type GroupCommit = {
  /** Resolves once the write is durable. */
  readonly commit: <Result>(write: Write<Result>) => Promise<Result>;
  /** Resolves once no write is waiting. */
  readonly drained: () => Promise<void>;
};

/**
 * Writes that arrive during a sync share the next transaction and its one sync: each succeeds or fails by itself, and
 * none is answered before it is durable. Neither the disk nor a lock of another process blocks the thread.
 */
export function groupCommit(
  database: Database.Database,
  { wal, busyTimeoutMs, onBegin, onCommit }: GroupCommitOptions,
): GroupCommit {
  let waiting: Waiting[] = [];
  let committing: Promise<void> | undefined;

  const commitTogether = database.transaction((group: readonly Waiting[]) => {
    onBegin();
    return group.map(({ write }) => runWrite(write));
  });

  function runWrite(write: Write<unknown>): Outcome {
    try {
      return { result: write.run() };
    } catch (error) {
      if (error instanceof WrongExpectedRevision) return { error }; // it wrote nothing; the others continue
      throw error;
    }
  }

  async function commitAll(): Promise<void> {
    await nextTurn();
    while (waiting.length > 0) {
      const group = firstGroup(waiting);
      const outcomes = await commit(group);
      waiting = waiting.slice(outcomes.length);
      for (const [index, outcome] of outcomes.entries()) group[index]?.settle(outcome);
      await (outcomes.length === 0 ? pause(retryBusyAfterMs) : nextTurn());
    }
    committing = undefined;
  }

  /** One outcome for each write; while the lock is busy, only for those that have reached `busyTimeoutMs`. */
  async function commit(group: readonly Waiting[]): Promise<readonly Outcome[]> {
    try {
      const outcomes = commitTogether.immediate(group);
      const onDurable = onCommit();
      await wal.synced();
      onDurable();
      return outcomes;
    } catch (error) {
      const failure = { error: asStoreError(error, database.name) };
      const overdue = performance.now() - busyTimeoutMs;
      const failed = isBusy(error) ? group.filter(({ since }) => since <= overdue) : group;
      return failed.map(() => failure);
    }
  }

  return {
    commit: <Result>(write: Write<Result>) =>
      new Promise<Result>((resolve, reject) => {
        const settle = (outcome: Outcome) =>
          'error' in outcome ? reject(outcome.error) : resolve(outcome.result as Result); // the result of this write
        waiting.push({ write, since: performance.now(), settle });
        committing ??= commitAll();
      }),
    drained: async () => committing,
  };
}

function firstGroup(waiting: readonly Waiting[]): readonly Waiting[] {
  let bytes = 0;
  const end = waiting.findIndex(({ write }, index) => {
    bytes += write.bytes;
    return index > 0 && (index >= maxGroup.writes || bytes > maxGroup.bytes);
  });
  return waiting.slice(0, end === -1 ? waiting.length : end); // a copy: others arrive during the sync
}
