import { LRUCache } from 'lru-cache';

/** The count of a key in its present window. */
export type WindowCount = {
  readonly count: number;
  /** Time until the window ends, in milliseconds. */
  readonly resetMs: number;
};

/** Counts in fixed windows, in memory. */
export type WindowCounts = {
  /** A window begins with the first addition. */
  readonly add: (key: string, uses: number) => WindowCount;
  /** Undefined if the key has no window now. */
  readonly get: (key: string) => WindowCount | undefined;
  readonly set: (key: string, count: WindowCount) => void;
};

/**
 * Maximum number of keys, some 200 bytes each: a caller with very many addresses must not fill the memory. Those beyond it replace the
 * keys that were counted longest ago.
 */
const maxKeys = 50_000;

/** `endsAtMs`: of `performance.now()`. */
type Window = { readonly count: number; readonly endsAtMs: number };

/** Counts in windows of `windowMs`. */
export function windowCounts(windowMs: number): WindowCounts {
  const windows = new LRUCache<string, Window>({ max: maxKeys });
  const present = (key: string): Window | undefined => {
    const window = windows.peek(key);
    return window && window.endsAtMs > performance.now() ? window : undefined;
  };
  const countOf = ({ count, endsAtMs }: Window): WindowCount => ({ count, resetMs: endsAtMs - performance.now() });

  return {
    add(key, uses) {
      const { count, endsAtMs } = present(key) ?? { count: 0, endsAtMs: performance.now() + windowMs };
      const window = { count: count + uses, endsAtMs };
      windows.set(key, window);
      return countOf(window);
    },
    get(key) {
      const window = present(key);
      return window && countOf(window);
    },
    set(key, { count, resetMs }) {
      windows.set(key, { count, endsAtMs: performance.now() + resetMs });
    },
  };
}
