/** Interval in which ended attempts free their slots together: a lease costs about the same for one slot as for many. */
const gatherMs = 2;

export type WakeTimers = {
  /** Wakes up after `gatherMs`, once for all calls within it. */
  readonly wakeSoon: () => void;
  /** Wakes up after this time, instead of the time that was set before. */
  readonly wakeIn: (delayMs: number) => void;
  /** From now on `wakeIn` has no effect. */
  readonly end: () => void;
};

export function wakeTimers(wake: () => void): WakeTimers {
  let next: NodeJS.Timeout | undefined;
  let soon: NodeJS.Timeout | undefined;
  let ended = false;

  return {
    wakeSoon() {
      soon ??= setTimeout(() => {
        soon = undefined;
        wake();
      }, gatherMs);
    },
    wakeIn(delayMs) {
      clearTimeout(next);
      if (!ended) next = setTimeout(wake, delayMs);
    },
    end() {
      ended = true;
      clearTimeout(next);
      clearTimeout(soon);
    },
  };
}
