import type Database from 'better-sqlite3';
import { limitBy } from '../../sqlite/database-file.js';
import { WrongExpectedRevision } from '../errors.js';
import { type AppendResult, categoryOf, type ExpectedRevision, type KnownEvent } from '../event-store.js';
import type { SerialisedEvent } from '../serialise.js';
import type { Row } from './schema.js';

type Append = {
  stream: string;
  events: readonly SerialisedEvent[];
  expected: ExpectedRevision;
};

type Events = Omit<Append, 'expected'>;
type Place = AppendResult;
type Stream = { id: bigint | undefined; last: Place };

const nothing: Place = { revision: -1n, position: -1n };

export type AppendWriter = {
  /** Has written nothing when it throws `WrongExpectedRevision`: the rest of the transaction is not affected. */
  append: (append: Append) => AppendResult;
  /** One event, unless the stream has it: then it is returned. */
  appendOnce: (append: Events) => readonly KnownEvent[];
};

/** Appends within the caller's transaction. */
export function appendTo(
  database: Database.Database,
  { clock, onWritten }: { clock: () => Date; onWritten: (row: Row) => void },
): AppendWriter {
  const { findStream, addStream, lastPlace, placeOf, placesAfter, addEvent } = statements(database);

  function stateOf(name: string): Stream {
    const id = findStream.get(name);
    return { id, last: (id !== undefined && lastPlace.get(id)) || nothing };
  }

  /** The last of these events, if the stream has all of them, in any order. */
  function knownAnywhere({ id }: Stream, { events }: Events): Place | 'none' | 'some' {
    let last: Place | 'none' = 'none';
    for (const event of events) {
      const place = placeOf.get(id, event.id);
      if (!place) return last === 'none' ? 'none' : 'some';
      last = place;
    }
    return last;
  }

  /** The last of these events, if they directly follow the revision. */
  function knownRightAfter({ id }: Stream, revision: bigint, { events }: Append): Place | undefined {
    const places = placesAfter.all(id, revision, events.length);
    if (events.some((event, index) => event.id !== places[index]?.id)) return undefined;
    const last = places.at(-1);
    return last && { revision: last.revision, position: last.position };
  }

  /** Undefined, with nothing written, if the name exists. */
  function newStream(name: string): bigint | undefined {
    const { changes, lastInsertRowid } = addStream.run(name);
    return changes === 0 ? undefined : BigInt(lastInsertRowid);
  }

  function write({ id, last }: Stream, { stream, events }: Events): Place {
    const streamId = id ?? newStream(stream);
    const category = categoryOf(stream);
    const created = clock().getTime();
    return events.reduce(({ revision }, event) => {
      const next = revision + 1n;
      const { lastInsertRowid } = addEvent.run(
        streamId,
        next,
        event.id,
        category,
        event.type,
        event.data,
        event.metadata,
        created,
      );
      const position = BigInt(lastInsertRowid);
      onWritten([event.id, stream, next, position, event.type, event.data, event.metadata, BigInt(created)]);
      return { revision: next, position };
    }, last);
  }

  function append(append: Append): AppendResult {
    const { stream, events, expected } = append;
    if (expected === 'no-stream' && events.length > 0) {
      const id = newStream(stream); // without a search first: each flow event begins a stream
      if (id !== undefined) return write({ id, last: nothing }, append);
    }
    const state = stateOf(stream);
    const refused = () =>
      new WrongExpectedRevision(stream, expected, state.id === undefined ? 'no-stream' : state.last.revision);

    if (expected === 'any' || expected === 'stream-exists') {
      if (expected === 'stream-exists' && state.id === undefined) throw refused();
      if (events.length === 0) return state.last;
      const known = knownAnywhere(state, append);
      if (known === 'some') throw refused();
      return known === 'none' ? write(state, append) : known;
    }
    const revision = expected === 'no-stream' ? -1n : expected;
    if (revision === state.last.revision) return events.length === 0 ? state.last : write(state, append);
    const known = revision >= -1n ? knownRightAfter(state, revision, append) : undefined;
    if (!known) throw refused();
    return known;
  }

  function appendOnce(append: Events): readonly KnownEvent[] {
    const id = newStream(append.stream); // without a search first: most flow events begin a stream
    const state = id === undefined ? stateOf(append.stream) : { id, last: nothing };
    const known = id === undefined ? knownAnywhere(state, append) : 'none';
    if (typeof known === 'object')
      return append.events.map((event) => ({ id: event.id, stream: append.stream, revision: known.revision }));
    write(state, append);
    return [];
  }

  return { append, appendOnce };
}

function statements(database: Database.Database) {
  const prepare = <Row>(sql: string) => database.prepare<unknown[], Row>(sql).safeIntegers(true);
  const findStream = prepare<bigint>('SELECT id FROM streams WHERE name = ?').pluck();
  const addStream = database.prepare('INSERT INTO streams (name) VALUES (?) ON CONFLICT DO NOTHING').safeIntegers(true);
  const lastPlace = prepare<Place>(
    'SELECT revision, position FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1',
  );
  const placeOf = prepare<Place>(
    'SELECT revision, position FROM events WHERE stream = ? AND id = ? ORDER BY revision DESC LIMIT 1',
  );
  const placesAfter = prepare<Place & { id: string }>(
    `SELECT id, revision, position FROM events WHERE stream = ? AND revision > ? ORDER BY revision ${limitBy()}`,
  );
  const addEvent = database
    .prepare(
      `INSERT INTO events (stream, revision, id, category, type, data, metadata, created)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .safeIntegers(true);
  return { findStream, addStream, lastPlace, placeOf, placesAfter, addEvent };
}

export const sizeOf = ({ events }: Events): number =>
  events.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0);

/**
 * Deletes within the caller's transaction. Throws `WrongExpectedRevision`. SQLite overwrites the data
 * (`openDatabaseFile`).
 */
export function deleteStreamIn(
  database: Database.Database,
): (stream: string, expectedRevision: bigint | undefined) => void {
  const prepare = (sql: string) => database.prepare<unknown[], bigint>(sql).safeIntegers(true);
  const idOf = prepare('SELECT id FROM streams WHERE name = ?').pluck();
  const lastRevision = prepare('SELECT max(revision) FROM events WHERE stream = ?').pluck();
  const removeEvents = prepare('DELETE FROM events WHERE stream = ?');
  const removeStream = prepare('DELETE FROM streams WHERE id = ?');

  return (stream, expectedRevision) => {
    const id = idOf.get(stream);
    if (id === undefined) return;
    const last = lastRevision.get(id) ?? -1n;
    if (expectedRevision !== undefined && expectedRevision !== last) {
      throw new WrongExpectedRevision(stream, expectedRevision, last);
    }
    removeEvents.run(id);
    removeStream.run(id);
  };
}
