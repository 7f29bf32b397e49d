import { openDatabaseFile } from '../../sqlite/database-file.js';
import { type GroupCommit, openGroupCommit } from '../../sqlite/group-commit.js';
import { truncateWalOf } from '../../sqlite/reclaim-space.js';
import { walSync } from '../../sqlite/wal-sync.js';
import { WrongExpectedRevision } from '../errors.js';
import { categoryOf, type EventStore } from '../event-store.js';
import { serialise } from '../serialise.js';
import { durablePosition } from './durable-position.js';
import { eventReads, readPagesOf, storeClosed } from './event-reads.js';
import { appendTo, deleteStreamIn, sizeOf } from './event-writes.js';
import { filing } from './filing.js';
import { eventsFile, lastPosition, type Row } from './schema.js';
import { type Committed, subscription, type Tail } from './subscription.js';
import { wakeups } from './wakeups.js';

/** Maximum time for which a statement blocks the thread for a lock; appends wait longer, without blocking. */
const blockingTimeoutMs = 100;

/** A commit, for other threads: the durable position and the events' categories. */
export type Appended = {
  position: bigint;
  categories: ReadonlySet<string>;
  /** Undefined for a large commit, whose events are cheaper to read than to hand over. */
  committed: Committed | undefined;
};

/** SQLite drops its page cache after each foreign commit, which makes few events costly to read. */
const maxHandedOver = 8;

export type SqliteEventStoreOptions = {
  directory: string;
  clock?: () => Date;
  /** Maximum wait of an append for another process's lock. */
  busyTimeoutMs?: number;
  /** Syncs the WAL, given its file descriptor; default: `fdatasync`. */
  sync?: (log: number) => Promise<void>;
  /** Called without argument when another process may have appended. */
  onAppended?: (appended?: Appended) => void;
  /** False if another thread of this process reports all appends by `wakeUp`. */
  polls?: boolean;
};

export type SqliteEventStore = EventStore & {
  /** Another thread has appended these events; without argument, another process may have. */
  wakeUp: (appended?: Appended) => void;
};

/** Opens or creates `events.db`. Throws `StoreUnusable`. */
export function openSqliteEventStore({
  directory,
  clock = () => new Date(),
  busyTimeoutMs = 5000,
  sync,
  onAppended = () => undefined,
  polls = true,
}: SqliteEventStoreOptions): SqliteEventStore {
  /** Rows of the current transaction. */
  let written: Row[] = [];
  let deleted = false;
  let after = -1n;
  const database = openDatabaseFile(directory, eventsFile, { busyTimeoutMs: blockingTimeoutMs });
  const reader = readPagesOf(database);
  const wal = walSync(database, sync);
  const durable = durablePosition(reader, wal);
  const signals = wakeups(database, { onOthers, polls });
  const tails = new Set<Tail>();
  const commits = openGroupCommit(database, { wal, busyTimeoutMs, onBegun, onCommitted });
  const commit = committer(commits);
  const { append, appendOnce } = appendTo(database, { clock, onWritten: (row) => written.push(row) });
  const remove = deleteStreamIn(database);
  const truncateWal = truncateWalOf(database, busyTimeoutMs);
  let closed: Promise<void> | undefined;
  const isOpen = () => closed === undefined;

  function onBegun(): void {
    written = [];
    deleted = false;
    after = reader.head();
  }

  function onCommitted(): () => void {
    const committed = { after, position: lastPosition(written) ?? after, rows: written, deleted };
    return () => {
      const appended = appendedOf(committed);
      onAppended(appended); // first: another thread may start on it meanwhile
      wakeUp(appended, committed);
    };
  }

  function onOthers(): void {
    durable.doubt();
    onAppended();
  }

  function wakeUp(appended?: Appended, committed = appended?.committed): void {
    if (!appended) {
      durable.doubt();
      signals.wake();
      return;
    }
    if (committed) for (const tail of tails) tail.add(committed);
    durable.reached(appended.position);
    signals.wake(appended.categories);
  }

  function assertOpen(): void {
    if (!isOpen()) throw storeClosed();
  }

  async function close(): Promise<void> {
    signals.wake(); // subscriptions then see that the store is closed
    await commits.close();
    signals.close();
    await wal.close();
    database.close();
  }

  return {
    async append(stream, events, { expectedRevision = 'any' } = {}) {
      assertOpen();
      const serialised = { stream, events: serialise(stream, events), expected: expectedRevision };
      return commit(() => append(serialised), sizeOf(serialised));
    },
    async appendEach(events) {
      assertOpen();
      const appends = events.map(({ stream, event }) => ({ stream, events: serialise(stream, [event]) }));
      const bytes = appends.reduce((sum, each) => sum + sizeOf(each), 0);
      return commit(() => appends.flatMap(appendOnce), bytes);
    },
    async deleteStream(stream, { expectedRevision } = {}) {
      assertOpen();
      await commit(() => {
        deleted = true;
        remove(stream, expectedRevision);
      });
      await truncateWal(); // on every repeat too: it overwrites data that a crash left in the WAL
    },
    finishDeletion: async () => false,
    ...eventReads({ reader, durable, assertOpen }),
    ...filing(database, assertOpen),
    subscribe: (options = {}) => subscription({ reader, tails, wakeups: signals, durable, isOpen }, options),
    async head() {
      assertOpen();
      return durable.now();
    },
    wakeUp: (appended) => wakeUp(appended),
    close() {
      closed ??= close();
      return closed;
    },
  };
}

function appendedOf(committed: Committed): Appended {
  const { position, rows } = committed;
  const categories = new Set(rows.map(([, stream]) => categoryOf(stream)));
  return { position, categories, committed: rows.length <= maxHandedOver ? committed : undefined };
}

/** A write that throws `WrongExpectedRevision` has written nothing: the rest of its transaction is not affected. */
const committer =
  (commits: GroupCommit) =>
  async <Result>(write: () => Result, bytes?: number): Promise<Result> => {
    const outcome = await commits.call(() => outcomeOf(write), bytes);
    if ('refusal' in outcome) throw outcome.refusal;
    return outcome.result;
  };

type Outcome<Result> = { result: Result } | { refusal: WrongExpectedRevision };

function outcomeOf<Result>(write: () => Result): Outcome<Result> {
  try {
    return { result: write() };
  } catch (error) {
    if (error instanceof WrongExpectedRevision) return { refusal: error };
    throw error;
  }
}
