import type Database from 'better-sqlite3';
import { everyInterval } from '../../../kernel/shared-interval.js';
import type { EventFilter } from '../event-store.js';

const pollMs = 250;
/** Readers of other categories wake less often: their position follows the end of the log. */
const unconcernedMs = 50;

export type Wakeups = {
  /** The reader closes it. It stops sleeping once the signal aborts. */
  sleeper: (options: SleeperOptions) => Sleeper;
  /** All categories without an argument. */
  wake: (categories?: ReadonlySet<string>) => void;
  close: () => void;
};

export type WakeupsOptions = {
  /** Called before readers wake. */
  onOthers: () => void;
  /** False if another thread of this process reports the appends of others. */
  polls?: boolean;
};

type SleeperOptions = { filter: EventFilter | undefined; signal: AbortSignal | undefined };

export type Sleeper = {
  /** Take it before reading, and give it to `sleepSince`. */
  count: () => number;
  /** Resolves after more than `count` wake-ups, soon after one of another category, or on abort. */
  sleepSince: (count: number) => Promise<void>;
  close: () => void;
};

/** `wake` does nothing while it is awake. */
type Sleeping = { filter: EventFilter | undefined; wakeUps: number; wake: () => void };

/** Appends of other processes are found by polling the database's version, which costs microseconds. */
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
