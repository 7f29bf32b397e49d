import type { RecordedEvent } from './recorded-event.js';
import { deletedTruncateBefore, type Retention } from './retention.js';

/** A stream with everything that was ever written to it: what is hidden stays until a scavenge removes it. */
export class Stream {
  /** Revision n is at index n, which is empty once a scavenge has removed it. */
  readonly events: RecordedEvent[] = [];
  retention: Retention;
  tombstone: RecordedEvent | undefined;

  constructor(readonly name: string) {
    this.retention = name.startsWith('$$') ? { maxCount: 1 } : {};
  }

  get isEmpty(): boolean {
    return this.events.length === 0;
  }

  /** -1n for an empty stream. */
  get lastRevision(): bigint {
    return BigInt(this.events.length) - 1n;
  }

  get isDeleted(): boolean {
    return this.retention.truncateBefore === deletedTruncateBefore;
  }

  /** True if readers get "no such stream", also if it had events before. */
  get isMissing(): boolean {
    return this.isEmpty || this.isDeleted;
  }

  /** The index of the first event that a reader may see; the number of events when all are hidden. */
  get firstVisible(): number {
    const { truncateBefore = 0, maxCount, maxAgeS } = this.retention;
    const { length } = this.events;
    let first = Math.max(truncateBefore, maxCount === undefined ? 0 : length - maxCount);
    if (maxAgeS !== undefined) {
      const oldestMs = Date.now() - maxAgeS * 1_000;
      while (first < length && (this.events[first]?.createdMs ?? 0) < oldestMs) first += 1;
    }
    return Math.min(first, length);
  }
}
