import type Database from 'better-sqlite3';
import type { EventFilter } from '../event-store.js';

const pollMs = 50;
/** Those whom news does not concern hear of it all the same, as the end of the log moves on, but only this often. */
const unconcernedMs = 50;

/** Tells those who wait for new events that there may be some. */
export type Wakeups = {
  /** One who waits again and again, and is closed in the end; once the signal is aborted it does not wait any more. */
  readonly sleeper: (options: SleeperOptions) => Sleeper;
  /** There are events of these categories; without them, of any. */
  readonly wake: (categories?: ReadonlySet<string>) => void;
};

type SleeperOptions = { readonly filter: EventFilter | undefined; readonly signal: AbortSignal | undefined };

export type Sleeper = {
  /** Counts what has been told so far and concerns it: take it before looking, and give it to `after`. */
  readonly count: () => number;
  /** Resolves once more than `count` has been told, other news is a while old or the signal aborted. */
  readonly after: (count: number) => Promise<void>;
  readonly close: () => void;
};

/** `told` counts for `Sleeper.count`; `wake` does nothing while it is awake. */
type Sleeping = { readonly filter: EventFilter | undefined; told: number; readonly wake: () => void };

/**
 * Appends of this process wake at once, by `wake`; those of others are found by asking for the database's version, which
 * costs microseconds, and only while somebody waits. `onOthers` is called before those who wait hear of them.
 */
export function wakeups(database: Database.Database, onOthers: () => void): Wakeups {
  const version = database.prepare<[], number>('PRAGMA data_version').pluck();
  const sleepers = new Set<Sleeping>();
  let asleep = 0;
  let seenVersion = currentVersion();
  let polling: NodeJS.Timeout | undefined;
  let unconcerned: NodeJS.Timeout | undefined;

  function sleeper({ filter, signal }: SleeperOptions): Sleeper {
    let resolve: (() => void) | undefined;
    const self: Sleeping = { filter, told: 0, wake: wakeUp };

    function wakeUp(): void {
      if (!resolve) return;
      asleep -= 1;
      if (asleep === 0) stopPolling();
      resolve();
      resolve = undefined;
    }

    sleepers.add(self);
    signal?.addEventListener('abort', wakeUp);
    return {
      count: () => self.told,
      async after(seen) {
        if (self.told > seen || signal?.aborted) return;
        asleep += 1;
        polling ??= setInterval(poll, pollMs).unref();
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
      each.told += 1;
      each.wake();
    }
    if (categories) unconcerned ??= setTimeout(wakeAll, unconcernedMs).unref();
  }

  function currentVersion(): number | undefined {
    try {
      return version.get();
    } catch {
      return undefined; // those who are woken will meet the same trouble, and tell their callers
    }
  }

  function poll(): void {
    const current = currentVersion();
    if (current === seenVersion) return;
    seenVersion = current;
    onOthers();
    wake();
  }

  function stopPolling(): void {
    clearInterval(polling);
    polling = undefined;
  }

  return { sleeper, wake };
}
