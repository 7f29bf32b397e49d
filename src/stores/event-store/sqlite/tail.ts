import { categoryOf, type EventFilter, type RecordedEvent } from '../event-store.js';
import { type Row, sizeOfRow, toEvent } from './row.js';

/** What is held at most. */
const most = { events: 1_000, characters: 1_048_576 };

/** What one transaction has appended: all that the log has after `after`, up to `position`. */
export type Committed = {
  readonly after: bigint;
  readonly position: bigint;
  readonly rows: readonly Row[];
  /** It has deleted a stream. */
  readonly deleted: boolean;
};

/**
 * What a subscription that keeps up has not read yet, in memory: from the file, each would look through its indexes anew after every
 * commit. It holds a stretch without gaps, as far as it is told of every commit, and nothing that has been taken: what lives
 * no longer than a moment costs next to nothing to collect.
 */
export class Tail {
  private rows: Row[] = [];
  private characters = 0;
  private after = -1n;
  private end = -1n;

  constructor(private readonly filter?: EventFilter) {}

  add({ after, position, rows, deleted }: Committed): void {
    if (deleted)
      this.beginAfter(position); // what it has deleted may be its own
    else if (after !== this.end) this.beginAfter(after); // somebody else has appended in between
    for (const row of deleted ? [] : rows) if (this.isWanted(row)) this.hold(row);
    this.end = position;
    while (this.rows.length > most.events || this.characters > most.characters) this.dropOlderHalf();
  }

  /** The events of `(from, upTo]`, and forgets them with all before; undefined where it does not hold all of them. */
  take(from: bigint, upTo: bigint): readonly RecordedEvent[] | undefined {
    if (from < this.after || upTo > this.end) return undefined;
    return this.drop(this.countUpTo(upTo))
      .filter(([, , , position]) => position > from)
      .map(toEvent);
  }

  private isWanted([, stream]: Row): boolean {
    return !this.filter || this.filter.categories.includes(categoryOf(stream));
  }

  private hold(row: Row): void {
    this.rows.push(row);
    this.characters += sizeOfRow(row);
  }

  private countUpTo(upTo: bigint): number {
    const beyond = this.rows.findIndex(([, , , position]) => position > upTo);
    return beyond === -1 ? this.rows.length : beyond;
  }

  private beginAfter(position: bigint): void {
    this.rows = [];
    this.characters = 0;
    this.after = position;
  }

  private dropOlderHalf(): void {
    this.drop(Math.ceil(this.rows.length / 2));
  }

  private drop(count: number): readonly Row[] {
    const dropped = this.rows.splice(0, count);
    this.characters -= dropped.reduce((sum, row) => sum + sizeOfRow(row), 0);
    this.after = dropped.at(-1)?.[3] ?? this.after;
    return dropped;
  }
}
