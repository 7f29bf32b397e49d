/** Recent rate of events. */
export type Meter = {
  readonly count: (events: number) => void;
  readonly perSecond: () => number;
};

/** Averaging window, and its number of slices. */
const windowMs = 10_000;
const parts = 10;

/** `clock`: monotonic milliseconds. */
export function meter(clock: () => number = () => performance.now()): Meter {
  const began = clock();
  const counts = new Map<number, number>();
  const partOf = (now: number): number => Math.floor((now - began) / (windowMs / parts));

  function forget(part: number): void {
    for (const old of counts.keys()) if (old <= part - parts) counts.delete(old);
  }

  return {
    count(events) {
      const part = partOf(clock());
      counts.set(part, (counts.get(part) ?? 0) + events);
      forget(part);
    },
    perSecond() {
      const now = clock();
      forget(partOf(now));
      const total = [...counts.values()].reduce((sum, each) => sum + each, 0);
      const seconds = Math.min(windowMs, Math.max(1_000, now - began)) / 1_000;
      return total / seconds;
    },
  };
}
