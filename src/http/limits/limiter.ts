import { LRUCache } from 'lru-cache';
import type { RateCounts } from '../../stores/rate-counts/rate-counts.js';
import type { RateLimit } from './rate-limit.js';

type WindowCount = { count: number; resetMs: number };

/**
 * Maximum number of keys, some 200 bytes each: a caller with very many addresses must not fill the memory. Those beyond it replace the
 * keys that were counted longest ago.
 */
const maxKeys = 50_000;

/** Counts that end with their window, which begins with the first use. */
function windowCounts(windowMs: number) {
  const counts = new LRUCache<string, number>({ max: maxKeys, ttl: windowMs, ttlResolution: 0, noUpdateTTL: true });
  const at = (key: string, count: number): WindowCount => ({ count, resetMs: counts.getRemainingTTL(key) });
  return {
    add(key: string, uses: number): WindowCount {
      const count = (counts.get(key) ?? 0) + uses; // `get` deletes a count whose window has ended
      counts.set(key, count);
      return at(key, count);
    },
    get(key: string): WindowCount | undefined {
      const count = counts.peek(key);
      return count === undefined ? undefined : at(key, count);
    },
    set: (key: string, { count, resetMs }: WindowCount) =>
      void counts.set(key, count, { ttl: resetMs, noUpdateTTL: false }),
  };
}

type Usage = {
  /** The limit is used up: one more use exceeds it. */
  isExhausted: boolean;
  isExceeded: boolean;
  resetMs: number;
};

export type Limiter = {
  limit: RateLimit & { name: string };
  count: (key: string, uses?: number) => Usage;
  /** The usage without counting, or the usage after `more` uses. */
  usage: (key: string, more?: number) => Usage;
  stop: () => void;
};

export type Sharing = {
  counts: RateCounts;
  /** Returns the pause before the next attempt, in milliseconds. */
  onFailure: (error: unknown) => number;
  onSuccess: () => void;
};

const shareIntervalMs = 200;
/** An instance shares a count from this part of the limit on: most keys never reach it, and cost the store nothing. */
const sharedFrom = 0.1;

/**
 * Counts uses in fixed windows in memory, so that no request waits for a store. With `sharing`, counts are exchanged with other
 * instances in the background; a failing store leaves each instance with its own counts. Together the instances may exceed a
 * limit by the uses of `shareIntervalMs`, and by a tenth of the limit for each instance.
 */
export function limiter(name: string, limit: RateLimit, sharing?: Sharing): Limiter {
  const points = limit.count;
  const memory = windowCounts(limit.windowMs);
  const named = { ...limit, name };
  const exchange = sharing && exchangeOf(memory, named, sharing);
  const usageOf = ({ count, resetMs }: WindowCount): Usage => ({
    isExhausted: count >= points,
    isExceeded: count > points,
    resetMs,
  });

  return {
    limit: named,
    count(key, uses = 1) {
      const counted = memory.add(key, uses);
      if (counted.count >= points * sharedFrom) exchange?.add(key);
      return usageOf(counted);
    },
    usage(key, more = 0) {
      const { count, resetMs } = memory.get(key) ?? { count: 0, resetMs: 0 };
      return usageOf({ count: count + more, resetMs });
    },
    stop: () => exchange?.stop(),
  };
}

function exchangeOf(
  memory: ReturnType<typeof windowCounts>,
  limit: RateLimit & { name: string },
  { counts, onFailure, onSuccess }: Sharing,
) {
  let changed = new Set<string>();
  /** Part of the count of each exchanged key that the store has, until the window ends (milliseconds since 1970). */
  const known = new Map<string, { count: number; until: number }>();
  let timer: NodeJS.Timeout | undefined;
  let isRunning = false;
  let stopped = false;

  async function exchangeKey(key: string): Promise<void> {
    const before = memory.get(key);
    if (!before) return; // its window has ended
    const shared = known.get(key)?.count ?? 0;
    // Fewer than the store has: a new window has begun here.
    const added = before.count - (before.count < shared ? 0 : shared);
    if (added === 0) return;
    const { count, resetMs } = await counts.add(limit, key, added);
    if (resetMs <= 0) return;
    const meanwhile = (memory.get(key)?.count ?? before.count) - before.count;
    memory.set(key, { count: count + Math.max(0, meanwhile), resetMs });
    known.set(key, { count, until: Date.now() + resetMs });
  }

  async function exchangeAll(): Promise<void> {
    const keys = changed;
    changed = new Set();
    const now = Date.now();
    for (const [key, { until }] of known) if (until <= now || !memory.get(key)) known.delete(key);
    let pauseMs = shareIntervalMs;
    // All end before the next exchange, which would add the same uses again.
    const exchanged = await Promise.allSettled([...keys].map(exchangeKey));
    if (stopped) return;
    const failed = exchanged.find((each) => each.status === 'rejected');
    if (failed) {
      pauseMs = Math.max(pauseMs, onFailure(failed.reason));
      for (const key of keys) if (memory.get(key)) changed.add(key);
    } else {
      onSuccess();
    }
    isRunning = false;
    if (changed.size > 0) schedule(pauseMs);
  }

  function schedule(afterMs: number): void {
    if (timer || isRunning || stopped) return;
    timer = setTimeout(() => {
      timer = undefined;
      isRunning = true;
      void exchangeAll();
    }, afterMs);
    timer.unref();
  }

  return {
    add(key: string): void {
      changed.add(key);
      schedule(shareIntervalMs);
    },
    stop(): void {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
