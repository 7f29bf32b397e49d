/** A value that gauges read from a store; undefined if reading fails or takes too long, and then they have no sample. */
export type StoreReading<Value> = () => Promise<Value | undefined>;

const defaultTimings = {
  /** Minimum interval between two readings, even if metrics are scraped more often. */
  freshMs: 1_000,
  /** Maximum time that a scrape waits: a store in trouble must not hide the other metrics. */
  timeoutMs: 2_000,
};

/** Reads a store when metrics are scraped. `onFailure` is called for each reading that failed or took too long. */
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
        onFailure(); // the parts that need the store log the error
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
