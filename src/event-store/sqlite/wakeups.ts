import type Database from 'better-sqlite3';
import type { EventFilter } from '../event-store.js';

const pollMs = 50;
/** Those whom news does not concern hear of it all the same, as the end of the log moves on, but only this often. */
const unconcernedMs = 50;

/** Tells those who wait for new events that there may be some. */
export type Wakeups = {
  /** Counts what has been told so far and concerns the filter: take it before looking, and give it to `after`. */
  readonly count: (filter: EventFilter | undefined) => number;
  /** Resolves once more than `count` has been told, other news is a while old or the signal aborted. */
  readonly after: (
    count: number,
    options: { readonly filter: EventFilter | undefined; readonly signal: AbortSignal | undefined },
  ) => Promise<void>;
  /** There are events of these categories; without them, of any. */
  readonly wake: (categories?: ReadonlySet<string>) => void;
};

type Waiting = { readonly filter: EventFilter | undefined; readonly resolve: () => void };

/**
 * Appends of this process wake at once, by `wake`; those of others are found by asking for the database's version, which
 * costs microseconds, and only while somebody waits. `onOthers` is called before those who wait hear of them.
 */
export function wakeups(database: Database.Database, onOthers: () => void): Wakeups {
  const version = database.prepare<[], number>('PRAGMA data_version').pluck();
  const waiting = new Set<Waiting>();
  const told = { toAll: 0, toAny: 0, byCategory: new Map<string, number>() };
  let seenVersion = currentVersion();
  let polling: NodeJS.Timeout | undefined;
  let unconcerned: NodeJS.Timeout | undefined;

  function count(filter: EventFilter | undefined): number {
    if (!filter) return told.toAny;
    return filter.categories.reduce((sum, category) => sum + (told.byCategory.get(category) ?? 0), told.toAll);
  }

  function wakeAll(): void {
    clearTimeout(unconcerned);
    unconcerned = undefined;
    for (const { resolve } of waiting) resolve();
  }

  function wake(categories?: ReadonlySet<string>): void {
    told.toAny += 1;
    if (!categories) {
      told.toAll += 1;
      wakeAll();
      return;
    }
    for (const category of categories) told.byCategory.set(category, (told.byCategory.get(category) ?? 0) + 1);
    for (const { filter, resolve } of waiting) {
      if (!filter || filter.categories.some((category) => categories.has(category))) resolve();
    }
    unconcerned ??= setTimeout(wakeAll, unconcernedMs).unref();
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

  async function after(
    seen: number,
    { filter, signal }: { filter: EventFilter | undefined; signal: AbortSignal | undefined },
  ): Promise<void> {
    if (count(filter) > seen || signal?.aborted) return;
    polling ??= setInterval(poll, pollMs).unref();
    await new Promise<void>((resolve) => {
      const one: Waiting = { filter, resolve: done };
      function done(): void {
        signal?.removeEventListener('abort', done);
        waiting.delete(one);
        if (waiting.size === 0) stopPolling();
        resolve();
      }
      waiting.add(one);
      signal?.addEventListener('abort', done);
    });
  }

  return { count, after, wake };
}
