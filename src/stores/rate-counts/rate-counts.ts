type SharedCount = {
  /** Count of all instances in the current window. */
  count: number;
  /** Time until the window ends. */
  resetMs: number;
};

/** Counts in fixed windows, shared by all instances. */
export type RateCounts = {
  /** Returns the new count of a key; a window begins with the first addition. Rejects with the store's error. */
  add: (limit: { name: string; windowMs: number }, key: string, points: number) => Promise<SharedCount>;
};
