import { setImmediate as nextTurn } from 'node:timers/promises';
import Database from 'better-sqlite3';
import type { EventStore } from '../../../stores/event-store/event-store.js';
import { readFirstIfExists } from '../../../stores/event-store/read-if-exists.js';
import type { FoundStream, StreamDigest } from './stream-digest.js';

export type DigestLedger = ReturnType<typeof openDigestLedger>;

type Row = readonly [
  name: string,
  first: bigint,
  last: bigint,
  events: bigint,
  digest: string,
  marks: string,
  gap: bigint | null,
];

const pageSize = 500;

/** An unnamed SQLite file, which the operating system removes even after a crash. */
export function openDigestLedger() {
  const database = new Database('');
  database.pragma('journal_mode = OFF');
  database.exec(`
    CREATE TABLE streams (
      name TEXT PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL, events INTEGER NOT NULL,
      digest TEXT NOT NULL, marks TEXT NOT NULL, gap INTEGER
    ) STRICT;
    BEGIN;`); // never committed: the file need not survive
  const select = 'SELECT name, first, last, events, digest, marks, gap FROM streams';
  const find = database.prepare<[string], Row>(`${select} WHERE name = ?`).raw().safeIntegers(true);
  const page = database.prepare<[string], Row>(`${select} WHERE name > ? ORDER BY name LIMIT ${pageSize}`);
  page.raw().safeIntegers(true);
  const put = database.prepare('INSERT OR REPLACE INTO streams VALUES (?, ?, ?, ?, ?, ?, ?)');
  const remove = database.prepare('DELETE FROM streams WHERE name = ?');

  return {
    find(stream: string): FoundStream | undefined {
      const row = find.get(stream);
      return row && digestIn(row);
    },
    put(stream: string, { first, last, events, digest, marks, gap }: FoundStream): void {
      put.run(stream, first, last, events, digest, marks, gap ?? null);
    },
    remove: (stream: string) => void remove.run(stream),
    /** By name; entries already returned may be removed meanwhile. */
    *all(): Generator<readonly [stream: string, digest: StreamDigest]> {
      for (let after = ''; ; ) {
        const rows = page.all(after);
        for (const row of rows) yield [row[0], digestIn(row)];
        const last = rows.at(-1);
        if (last === undefined) return;
        [after] = last;
      }
    },
    close: () => void database.close(),
  };
}

const digestIn = ([, first, last, events, digest, marks, gap]: Row): FoundStream => ({
  first,
  last,
  events: Number(events),
  digest,
  marks,
  gap: gap ?? undefined,
});

type StreamWithFirstRevision = {
  stream: string;
  digest: StreamDigest;
  /** Undefined: the stream is empty or deleted. */
  first: bigint | undefined;
};

/** Hides the latency of EventStoreDB. */
const maxConcurrentReads = 16;

/**
 * Finds deleted streams: until a scavenge, EventStoreDB returns their events in a read of all, but not of the stream.
 */
export async function* withFirstRevisions(
  store: Pick<EventStore, 'readStream'>,
  streams: Iterable<readonly [stream: string, digest: StreamDigest]>,
): AsyncGenerator<StreamWithFirstRevision> {
  const ask = async ([stream, digest]: readonly [string, StreamDigest]): Promise<StreamWithFirstRevision> => ({
    stream,
    digest,
    first: await firstRevision(store, stream),
  });
  let batch: Promise<StreamWithFirstRevision>[] = [];
  for (const each of streams) {
    batch.push(ask(each));
    if (batch.length < maxConcurrentReads) continue;
    yield* await Promise.all(batch);
    batch = [];
    await nextTurn(); // the embedded store answers synchronously: let other work run
  }
  yield* await Promise.all(batch);
}

async function firstRevision(store: Pick<EventStore, 'readStream'>, stream: string): Promise<bigint | undefined> {
  return (await readFirstIfExists(store.readStream(stream, { limit: 1 })))?.revision;
}
