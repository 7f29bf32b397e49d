import Database from 'better-sqlite3';
import type { FoundStream } from './stream-difference.js';
import type { StreamDigest } from './stream-digest.js';

/** Digests of streams by name, in constant memory. */
export type DigestLedger = {
  readonly find: (stream: string) => FoundStream | undefined;
  readonly put: (stream: string, digest: FoundStream) => void;
  readonly remove: (stream: string) => void;
  /** In the order of the names. Entries already returned may be removed during the iteration. */
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

const pageSize = 500;

/** Opens a ledger in an unnamed temporary file of SQLite, which the operating system removes even after a crash. */
export function openDigestLedger(): DigestLedger {
  const database = new Database('');
  database.pragma('journal_mode = OFF');
  database.exec(`
    CREATE TABLE streams (
      name TEXT PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL, events INTEGER NOT NULL,
      digest TEXT NOT NULL, marks TEXT NOT NULL, gap INTEGER
    ) STRICT;
    BEGIN;`); // never committed: the file has one user and need not survive it
  const select = 'SELECT name, first, last, events, digest, marks, gap FROM streams';
  const find = database.prepare<[string], Row>(`${select} WHERE name = ?`).raw().safeIntegers(true);
  const page = database.prepare<[string], Row>(`${select} WHERE name > ? ORDER BY name LIMIT ${pageSize}`);
  page.raw().safeIntegers(true);
  const put = database.prepare('INSERT OR REPLACE INTO streams VALUES (?, ?, ?, ?, ?, ?, ?)');

  const remove = database.prepare('DELETE FROM streams WHERE name = ?');

  return {
    find(stream) {
      const row = find.get(stream);
      return row && digestIn(row);
    },
    put(stream, { first, last, events, digest, marks, gap }) {
      put.run(stream, first, last, events, digest, marks, gap ?? null);
    },
    remove: (stream) => void remove.run(stream),
    *all() {
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
