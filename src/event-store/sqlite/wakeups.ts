import type Database from 'better-sqlite3';

const pollMs = 50;

/** Tells those who wait for new events that there may be some. */
export type Wakeups = {
  /** Counts what has been told so far: take it before looking, and give it to `after`. */
  readonly count: () => number;
  /** Resolves once more than `count` has been told, the time is over or the signal aborted. */
  readonly after: (
    count: number,
    options: { readonly timeoutMs?: number; readonly signal?: AbortSignal | undefined },
  ) => Promise<void>;
  readonly wake: () => void;
};

/**
 * Appends of this process wake at once, by `wake`; those of others are found by asking for the database's version, which
 * costs microseconds, and only while somebody waits.
 */
export function wakeups(database: Database.Database): Wakeups {
  const version = database.prepare<[], number>('PRAGMA data_version').pluck();
  const waiting = new Set<() => void>();
  let told = 0;
  let seenVersion = currentVersion();
  let timer: NodeJS.Timeout | undefined;

  function wake(): void {
    told += 1;
    for (const resolve of waiting) resolve();
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
    wake();
  }

  function startPolling(): void {
    timer ??= setInterval(poll, pollMs).unref();
  }

  function stopPolling(): void {
    clearInterval(timer);
    timer = undefined;
  }

  async function after(
    count: number,
    { timeoutMs, signal }: { timeoutMs?: number; signal?: AbortSignal | undefined },
  ): Promise<void> {
    if (told > count || signal?.aborted) return;
    startPolling();
    await new Promise<void>((resolve) => {
      const timeout = timeoutMs === undefined ? undefined : setTimeout(done, timeoutMs);
      function done(): void {
        clearTimeout(timeout);
        signal?.removeEventListener('abort', done);
        waiting.delete(done);
        if (waiting.size === 0) stopPolling();
        resolve();
      }
      waiting.add(done);
      signal?.addEventListener('abort', done);
    });
  }

  return { count: () => told, after, wake };
}
