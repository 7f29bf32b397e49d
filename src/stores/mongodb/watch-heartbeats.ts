/** Record whose holder raises `beat` as a heartbeat; it is not a clock time. `term`: of the holder, where it changes. */
type Beating = { beat: bigint | number; term?: bigint };

/** A record as just read. */
export type Seen<Record extends Beating> = {
  record: Record;
  /**
   * Time for which this process has seen the record with this value of it: from the answer of the read that first showed it to the call of the
   * last one, in milliseconds of its monotonic clock.
   */
  unchangedMs: number;
};

/**
 * Returns a function that reads the records, by name, and the time for which each is unchanged. After `awayMs` without a read it begins
 * anew: the holders may have been away for the same reason, and are back.
 */
export function watchHeartbeats<Record extends Beating>(
  read: () => Promise<ReadonlyMap<string, Record>>,
  awayMs: number,
  nowMs = () => performance.now(),
): () => Promise<ReadonlyMap<string, Seen<Record>>> {
  let lastCallAt = Number.NEGATIVE_INFINITY;
  let first = new Map<string, { record: Record; at: number }>();
  return async () => {
    const calledAt = nowMs();
    if (calledAt - lastCallAt >= awayMs) first = new Map();
    lastCallAt = calledAt;
    const records = await read();
    const at = nowMs();
    const before = first;
    first = new Map(
      [...records].map(([name, record]) => {
        const last = before.get(name);
        const isSame = last?.record.beat === record.beat && last.record.term === record.term;
        return [name, { record, at: isSame ? last.at : at }];
      }),
    );
    return new Map(
      [...first].map(([name, seen]) => [name, { record: seen.record, unchangedMs: Math.max(0, calledAt - seen.at) }]),
    );
  };
}

/** Returns the milliseconds until the next of them will be unchanged for this time; infinite where none will. */
export const untilUnchanged = (seen: Iterable<{ unchangedMs: number }>, ms: number): number =>
  Math.min(...[...seen].map(({ unchangedMs }) => ms - unchangedMs).filter((left) => left > 0));
