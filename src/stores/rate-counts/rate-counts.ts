type SharedCount = {
  /** Of all instances in the current window. */
  readonly count: number;
  /** Until the window ends. */
  readonly resetMs: number;
};

/** Counts in fixed windows, shared by all instances. */
export type RateCounts = {
  /** Returns the new count of a key; a window begins with the first addition. Rejects with the store's error. */
  readonly add: (
    limit: { readonly name: string; readonly windowMs: number },
    key: string,
    points: number,
  ) => Promise<SharedCount>;
};
