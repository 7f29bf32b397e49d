/** A window of a count that several instances share. */
type SharedCount = {
  /** The count of all instances in the current window. */
  readonly count: number;
  /** Time until the window ends, in milliseconds. */
  readonly resetMs: number;
};

/** Counts in fixed windows, shared by all instances. */
export type RateCounts = {
  /**
   * Adds to the count of a key and returns the new count; a window of `windowMs` begins with the first addition. Rejects with
   * the store's error.
   */
  readonly add: (
    limit: { readonly name: string; readonly windowMs: number },
    key: string,
    points: number,
  ) => Promise<SharedCount>;
};
