import { setImmediate as nextTurn } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { StoreUnavailable } from '../../../kernel/store-errors.js';
import { limitBy, preparedOnce } from '../../sqlite/database-file.js';
import { withStoreErrors } from '../../sqlite/sqlite-errors.js';
import { StreamNotFound } from '../errors.js';
import type {
  AllRange,
  Direction,
  EventFilter,
  LogReader,
  RecordedEvent,
  StreamRange,
  StreamReader,
} from '../event-store.js';
import type { DurablePosition } from './durable-position.js';
import { type Row, sizeOfRow, toEvent } from './schema.js';

const maxInteger = 2n ** 63n - 1n;

export type EventReads = {
  reader: PageReader;
  durable: DurablePosition;
  assertOpen: () => void;
};

/** Every event returned is durable. */
export function eventReads({ reader, durable, assertOpen }: EventReads): StreamReader & LogReader {
  async function* readStream(stream: string, range: StreamRange = {}): AsyncGenerator<RecordedEvent> {
    const { direction = 'forwards', limit = Number.POSITIVE_INFINITY } = range;
    assertOpen();
    const id = reader.streamId(stream);
    if (id === undefined) throw new StreamNotFound(stream);
    let from = range.from ?? (direction === 'forwards' ? 0n : maxInteger);
    let isFirstPage = true;
    yield* readPages(limit, (left) => {
      if (!isFirstPage && reader.streamId(stream) !== id) return { events: [], complete: true }; // it has been deleted meanwhile
      isFirstPage = false;
      const page = reader.stream({ stream: id, from, direction, limit: left });
      const last = page.events.at(-1);
      if (last) from = direction === 'forwards' ? last.revision + 1n : last.revision - 1n;
      return page;
    });
  }

  async function* readAll(range: AllRange = {}): AsyncGenerator<RecordedEvent> {
    const { direction = 'forwards', limit = Number.POSITIVE_INFINITY, filter } = range;
    let from = range.from ?? (direction === 'forwards' ? -1n : maxInteger);
    yield* readPages(limit, (left) => {
      const page = reader.all({ from, upTo: maxInteger, direction, limit: left, filter });
      from = page.events.at(-1)?.position ?? from;
      return page;
    });
  }

  async function* readPages(
    limit: number,
    nextPage: (limit: number) => { events: readonly RecordedEvent[]; complete: boolean },
  ): AsyncGenerator<RecordedEvent> {
    for (let left = limit; left > 0; ) {
      assertOpen();
      const { events, complete } = nextPage(left);
      // A decision may be answered from these events: they have to survive a power loss.
      for (const event of [events[0], events.at(-1)]) if (event) await durable.passed(event.position);
      yield* events;
      if (complete) return;
      left -= events.length;
      await nextTurn(); // a long read lets other work run
    }
  }

  return { readStream, readAll };
}

export const storeClosed = () => new StoreUnavailable('the event store is closed');

/** Number of events for which an iterator costs more than the memory it saves. */
const fewEvents = 4;

/** Bounds memory, and the time for which a page keeps the thread, by whichever limit is reached first. */
const maxPage = { events: 1000, characters: 1_048_576 };

type Page = {
  events: readonly RecordedEvent[];
  /** The range has no more events. */
  complete: boolean;
};

type StreamSlice = {
  stream: bigint;
  /** Inclusive. */
  from: bigint;
  direction: Direction;
  limit: number;
};

type AllSlice = {
  /** Exclusive. */
  from: bigint;
  /** Inclusive, forwards. */
  upTo: bigint;
  direction: Direction;
  limit: number;
  filter: EventFilter | undefined;
};

export type PageReader = {
  /** Undefined if there is no such stream. */
  streamId: (name: string) => bigint | undefined;
  stream: (slice: StreamSlice) => Page;
  all: (slice: AllSlice) => Page;
  head: () => bigint;
};

const columns = `events.id, streams.name, events.revision, events.position, events.type, events.data, events.metadata,
  events.created FROM events JOIN streams ON streams.id = events.stream`;

/**
 * No statement stays open between two pages: a slow or abandoned reader neither delays checkpoints of the WAL nor keeps
 * resources.
 */
export function readPagesOf(database: Database.Database): PageReader {
  const streamId = database.prepare<[string], bigint>('SELECT id FROM streams WHERE name = ?').pluck();
  const head = database.prepare<[], bigint>("SELECT seq FROM sqlite_sequence WHERE name = 'events'").pluck(); // it never decreases
  streamId.safeIntegers(true);
  head.safeIntegers(true);
  const prepared = preparedOnce((sql) => database.prepare<unknown[], Row>(sql).raw().safeIntegers(true));
  const read = <Result>(work: () => Result): Result => withStoreErrors(database.name, work);

  return {
    streamId: (name) => read(() => streamId.get(name)),
    head: () => read(() => head.get() ?? -1n),
    stream: ({ stream, from, direction, limit }) =>
      read(() => {
        const [compare, order] = direction === 'forwards' ? ['>=', 'ASC'] : ['<=', 'DESC'];
        const sql = `SELECT ${columns} WHERE events.stream = ? AND events.revision ${compare} ? ORDER BY events.revision ${order} ${limitBy()}`;
        return takePage(prepared(sql), [stream, from], limit);
      }),
    all: ({ from, upTo, direction, limit, filter }) =>
      read(() => {
        const range = direction === 'forwards' ? 'events.position > ? AND events.position <= ?' : 'events.position < ?';
        const bounds = direction === 'forwards' ? [from, upTo] : [from];
        const order = `ORDER BY position ${direction === 'forwards' ? 'ASC' : 'DESC'} ${limitBy()}`;
        if (!filter) return takePage(prepared(`SELECT ${columns} WHERE ${range} ${order}`), bounds, limit);
        const categories = [...new Set(filter.categories)];
        if (categories.length === 0) return { events: [], complete: true };
        // One branch for each category, merged in index order: IN would sort all of the remaining history.
        const branch = `SELECT ${columns} WHERE events.category = ? AND ${range}`;
        const sql = `${categories.map(() => branch).join(' UNION ALL ')} ${order}`;
        return takePage(
          prepared(sql),
          categories.flatMap((category) => [category, ...bounds]),
          limit,
        );
      }),
  };
}

function takePage(
  statement: Database.Statement<unknown[], Row>,
  parameters: readonly (string | bigint)[],
  limit: number,
): Page {
  const most = Math.min(limit, maxPage.events);
  const events: RecordedEvent[] = [];
  let characters = 0;
  const rows = most <= fewEvents ? statement.all(...parameters, most) : statement.iterate(...parameters, most);
  for (const row of rows) {
    events.push(toEvent(row));
    characters += sizeOfRow(row);
    if (characters > maxPage.characters) return { events, complete: events.length === limit };
  }
  return { events, complete: events.length < most || events.length === limit };
}
