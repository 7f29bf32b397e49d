/** What a store says for gauges; undefined where it does not say it in time, and then they have no sample. */
export type StoreReading<Value> = () => Promise<Value | undefined>;

const defaultTimings = {
  /** However often is scraped, a store is asked no more often than this. */
  freshMs: 1_000,
  /** A scrape waits for so long at most: one part in trouble must not hide the others. */
  timeoutMs: 2_000,
};

/** Reads a store when metrics are scraped. `onFailure` is told of each reading that failed or took too long. */
export function storeReading<Value>(
  read: () => Promise<Value>,
  onFailure: () => void,
  timings: Partial<typeof defaultTimings> = {},
): StoreReading<Value> {
  const { freshMs, timeoutMs } = { ...defaultTimings, ...timings };
  let last: { readonly at: number; readonly value: Promise<Value | undefined> } | undefined;

  function start(): Promise<Value | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('the store takes too long')), timeoutMs);
    });
    return Promise.race([read(), tooLate])
      .catch(() => {
        onFailure(); // the part that the store keeps from working says why
        return undefined;
      })
      .finally(() => clearTimeout(timer));
  }

  return () => {
    const now = performance.now();
    if (!last || now - last.at >= freshMs) last = { at: now, value: start() };
    return last.value;
  };
}
