import { setImmediate as nextTurn } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { withStoreErrors } from '../../sqlite/sqlite-errors.js';
import { categoryOf, type EventStore, type UnexplainedEvent } from '../event-store.js';

type Filing = Pick<EventStore, 'streamNames' | 'unexplainedEvents'>;

/** Bounds the time on the thread between two turns. */
const rowsAtOnce = 1_000;
const lowest = -(2n ** 63n);

type StreamRow = [id: bigint, name: string];
type Filed = [position: bigint, revision: bigint, stream: bigint, name: string | null];
type InStream = [position: bigint, revision: bigint, category: string];

/**
 * Streams by their names, and events that the rows file elsewhere: the column `category` and the IDs of streams repeat
 * facts of the name, so that an editor of the file can let reads of a category and of a stream disagree.
 */
export function filing(database: Database.Database, assertOpen: () => void): Filing {
  const prepare = <Row>(sql: string) => database.prepare<unknown[], Row>(sql).raw().safeIntegers(true);
  const streamsAfter = prepare<StreamRow>(
    `SELECT id, name FROM streams WHERE name >= ? AND name < ? AND (name, id) > (?, ?)
     ORDER BY name, id LIMIT ${rowsAtOnce}`,
  );
  const idOf = database.prepare<[string], bigint>('SELECT id FROM streams WHERE name = ?').pluck().safeIntegers(true);
  const filedUnder = prepare<Filed>(
    `SELECT events.position, events.revision, events.stream, streams.name
     FROM events LEFT JOIN streams ON streams.id = events.stream
     WHERE events.category = ? AND events.position > ? ORDER BY events.position LIMIT ${rowsAtOnce}`,
  );
  const inStream = prepare<InStream>(
    `SELECT position, revision, category FROM events WHERE stream = ? AND revision > ?
     ORDER BY revision LIMIT ${rowsAtOnce}`,
  );

  async function* paged<Row>(next: (last: Row | undefined) => readonly Row[]): AsyncGenerator<Row> {
    for (let last: Row | undefined; ; ) {
      assertOpen();
      const rows = withStoreErrors(database.name, () => next(last));
      yield* rows;
      last = rows.at(-1);
      if (rows.length < rowsAtOnce) return;
      await nextTurn();
    }
  }

  /** A category's streams begin with its name and a dash, the character before `.`. */
  const streamsOf = (category: string) =>
    paged<StreamRow>((last) => streamsAfter.all(`${category}-`, `${category}.`, last?.[1] ?? '', last?.[0] ?? 0n));

  async function* unexplainedIn(id: bigint, stream: string): AsyncGenerator<UnexplainedEvent> {
    const isFound = idOf.get(stream) === id;
    let before = -1n;
    for await (const [position, revision, category] of paged<InStream>((last) =>
      inStream.all(id, last?.[1] ?? lowest),
    )) {
      const isInPlace = revision >= 0n && position > before && category === categoryOf(stream);
      if (!isFound || !isInPlace) yield { stream, revision };
      before = position;
    }
  }

  return {
    async *streamNames(categories) {
      for (const category of categories) for await (const [, name] of streamsOf(category)) yield name;
    },
    async *unexplainedEvents(categories) {
      for (const category of categories) {
        const filed = paged<Filed>((last) => filedUnder.all(category, last?.[0] ?? -1n));
        for await (const [, revision, id, name] of filed) {
          if (name === null) yield { stream: `stream ${id} without a name`, revision };
          else if (categoryOf(name) !== category) yield { stream: name, revision };
        }
        for await (const [id, name] of streamsOf(category)) yield* unexplainedIn(id, name);
      }
    },
  };
}
