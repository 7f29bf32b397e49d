import { categoryOf, type EventFilter, type RecordedEvent } from '../event-store.js';
import { type Row, sizeOfRow, toEvent } from './row.js';

const most = { events: 1_000, characters: 1_048_576 };

/** The events of one transaction: all between `after` and `position`, inclusive. */
export type Committed = {
  readonly after: bigint;
  readonly position: bigint;
  readonly rows: readonly Row[];
  /** It has deleted a stream. */
  readonly deleted: boolean;
};

/**
 * Unread events of a subscription that keeps up, without gaps if every commit is added: reading from the file would
 * search its indexes after every commit. Taken events are dropped, to be collected while young.
 */
export class Tail {
  private rows: Row[] = [];
  private characters = 0;
  private after = -1n;
  private end = -1n;

  constructor(private readonly filter?: EventFilter) {}

  add({ after, position, rows, deleted }: Committed): void {
    if (deleted)
      this.beginAfter(position); // the deleted events may be in the tail
    else if (after !== this.end) this.beginAfter(after); // another connection has appended in between
    for (const row of deleted ? [] : rows) if (this.isWanted(row)) this.hold(row);
    this.end = position;
    while (this.rows.length > most.events || this.characters > most.characters) this.dropOlderHalf();
  }

  /** The events of `(from, upTo]`, dropping all before; undefined unless the tail holds all of them. */
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
