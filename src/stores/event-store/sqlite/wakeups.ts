import type Database from 'better-sqlite3';
import { everyInterval } from '../../../kernel/shared-interval.js';
import type { EventFilter } from '../event-store.js';

/** Interval between checks whether other processes have appended. */
const pollMs = 250;
/** Interval between wake-ups of readers of other categories: their position moves on with the end of the log. */
const unconcernedMs = 50;

/** Wakes waiting readers when there may be new events. */
export type Wakeups = {
  /** Opens a sleeper for one reader, which closes it at the end. It stops sleeping once the signal aborts. */
  readonly sleeper: (options: SleeperOptions) => Sleeper;
  /** Reports new events of these categories; of any category without them. */
  readonly wake: (categories?: ReadonlySet<string>) => void;
  /** Stops the timers. */
  readonly close: () => void;
};

export type WakeupsOptions = {
  /** Called when another process may have appended, before readers wake. */
  readonly onOthers: () => void;
  /** Whether to check for appends of other processes. False if another thread of this process does, and reports them. */
  readonly polls?: boolean;
};

type SleeperOptions = { readonly filter: EventFilter | undefined; readonly signal: AbortSignal | undefined };

export type Sleeper = {
  /** Number of wake-ups for its categories so far: take it before reading, and give it to `sleepSince`. */
  readonly count: () => number;
  /** Resolves once there have been more than `count` wake-ups, soon after one of another category, or on abort. */
  readonly sleepSince: (count: number) => Promise<void>;
  readonly close: () => void;
};

/** `wakeUps` is what `Sleeper.count` returns; `wake` does nothing while it is awake. */
type Sleeping = { readonly filter: EventFilter | undefined; wakeUps: number; readonly wake: () => void };

/**
 * Appends of this process wake readers at once, by `wake`; those of other processes are found by polling the database's
 * version, which costs microseconds.
 */
export function wakeups(database: Database.Database, { onOthers, polls = true }: WakeupsOptions): Wakeups {
  const version = database.prepare<[], number>('PRAGMA data_version').pluck();
  const sleepers = new Set<Sleeping>();
  let seenVersion = currentVersion();
  let unconcerned: NodeJS.Timeout | undefined;

  function sleeper({ filter, signal }: SleeperOptions): Sleeper {
    let resolve: (() => void) | undefined;
    const self: Sleeping = { filter, wakeUps: 0, wake: wakeUp };

    function wakeUp(): void {
      if (!resolve) return;
      resolve();
      resolve = undefined;
    }

    sleepers.add(self);
    signal?.addEventListener('abort', wakeUp);
    return {
      count: () => self.wakeUps,
      async sleepSince(seen) {
        if (self.wakeUps > seen || signal?.aborted) return;
        await new Promise<void>((resolved) => {
          resolve = resolved;
        });
      },
      close() {
        wakeUp();
        sleepers.delete(self);
        signal?.removeEventListener('abort', wakeUp);
      },
    };
  }

  function wakeAll(): void {
    clearTimeout(unconcerned);
    unconcerned = undefined;
    for (const each of sleepers) each.wake();
  }

  function wake(categories?: ReadonlySet<string>): void {
    for (const each of sleepers) {
      if (categories && each.filter && !each.filter.categories.some((category) => categories.has(category))) continue;
      each.wakeUps += 1;
      each.wake();
    }
    if (categories) unconcerned ??= setTimeout(wakeAll, unconcernedMs).unref();
  }

  function currentVersion(): number | undefined {
    try {
      return version.get();
    } catch {
      return undefined; // the woken readers get the same error and report it
    }
  }

  function poll(): void {
    const current = currentVersion();
    if (current === seenVersion) return;
    seenVersion = current;
    onOthers();
    wake();
  }

  const stopPolling = polls ? everyInterval(pollMs, poll) : () => undefined;

  return {
    sleeper,
    wake,
    close() {
      stopPolling();
      clearTimeout(unconcerned);
    },
  };
}
