import Database from 'better-sqlite3';
import type { FoundStream } from './stream-difference.js';
import type { StreamDigest } from './stream-digest.js';

/** Digests of streams by their names, at constant memory however many there are. */
export type DigestLedger = {
  readonly find: (stream: string) => FoundStream | undefined;
  readonly put: (stream: string, digest: FoundStream) => void;
  /** In the order of the names. Nothing may be put meanwhile. */
  readonly all: () => IterableIterator<readonly [stream: string, digest: StreamDigest]>;
  readonly close: () => void;
};

type Row = readonly [
  name: string,
  first: bigint,
  last: bigint,
  events: bigint,
  digest: string,
  marks: string,
  gap: bigint | null,
];

/** In a file of SQLite's that has no name, so that nothing is left behind, whatever happens. */
export function openDigestLedger(): DigestLedger {
  const database = new Database('');
  database.pragma('journal_mode = OFF');
  database.exec(`
    CREATE TABLE streams (
      name TEXT PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL, events INTEGER NOT NULL,
      digest TEXT NOT NULL, marks TEXT NOT NULL, gap INTEGER
    ) STRICT;`);
  const select = 'SELECT name, first, last, events, digest, marks, gap FROM streams';
  const find = database.prepare<[string], Row>(`${select} WHERE name = ?`).raw().safeIntegers(true);
  const all = database.prepare<[], Row>(`${select} ORDER BY name`).raw().safeIntegers(true);
  const put = database.prepare('INSERT OR REPLACE INTO streams VALUES (?, ?, ?, ?, ?, ?, ?)');

  return {
    find(stream) {
      const row = find.get(stream);
      return row && digestIn(row);
    },
    put(stream, { first, last, events, digest, marks, gap }) {
      put.run(stream, first, last, events, digest, marks, gap ?? null);
    },
    *all() {
      for (const row of all.iterate()) yield [row[0], digestIn(row)];
    },
    close: () => void database.close(),
  };
}

const digestIn = ([, first, last, events, digest, marks, gap]: Row): FoundStream => ({
  ...{ first, last, events: Number(events), digest, marks },
  gap: gap ?? undefined,
});
