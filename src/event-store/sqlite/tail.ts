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
 * The end of the log in memory, so that subscriptions which keep up read nothing from the file: there, each would look through
 * its indexes anew after every commit. It holds a stretch without gaps, as far as it knows of every commit.
 */
export class Tail {
  private rows: Row[] = [];
  private characters = 0;
  private after = -1n;
  private end = -1n;

  add({ after, position, rows, deleted }: Committed): void {
    if (deleted)
      this.beginAfter(position); // what it has deleted may be its own
    else if (after !== this.end) this.beginAfter(after); // somebody else has appended in between
    for (const row of deleted ? [] : rows) {
      this.rows.push(row);
      this.characters += sizeOfRow(row);
    }
    this.end = position;
    while (this.rows.length > most.events || this.characters > most.characters) this.dropOlderHalf();
  }

  /** The events of `(from, upTo]` that the filter lets through; undefined where it does not hold all of them. */
  read(from: bigint, upTo: bigint, filter: EventFilter | undefined): readonly RecordedEvent[] | undefined {
    if (from < this.after || upTo > this.end) return undefined;
    const wanted = (row: Row) =>
      row[3] > from && row[3] <= upTo && (!filter || filter.categories.includes(categoryOf(row[1])));
    return this.rows.filter(wanted).map(toEvent);
  }

  private beginAfter(position: bigint): void {
    this.rows = [];
    this.characters = 0;
    this.after = position;
  }

  private dropOlderHalf(): void {
    const dropped = this.rows.splice(0, Math.ceil(this.rows.length / 2));
    this.characters -= dropped.reduce((sum, row) => sum + sizeOfRow(row), 0);
    this.after = dropped.at(-1)?.[3] ?? this.after;
  }
}
