import Database from 'better-sqlite3';
import type { StreamDigest } from './stream-digest.js';

export type DigestLedger = ReturnType<typeof openDigestLedger>;

type Row = readonly [name: string, first: bigint, last: bigint, events: bigint, digest: string, marks: string];

const pageSize = 500;

/** An unnamed SQLite file, which the operating system removes even after a crash. */
export function openDigestLedger() {
  const database = new Database('');
  database.pragma('journal_mode = OFF');
  database.exec(`
    CREATE TABLE streams (
      name TEXT PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL, events INTEGER NOT NULL,
      digest TEXT NOT NULL, marks TEXT NOT NULL
    ) STRICT;
    CREATE TABLE names (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
    BEGIN;`); // never committed: the file need not survive
  const select = 'SELECT name, first, last, events, digest, marks FROM streams';
  const find = database.prepare<[string], Row>(`${select} WHERE name = ?`).raw().safeIntegers(true);
  const page = database.prepare<[string], Row>(`${select} WHERE name > ? ORDER BY name LIMIT ${pageSize}`);
  page.raw().safeIntegers(true);
  const put = database.prepare('INSERT OR REPLACE INTO streams VALUES (?, ?, ?, ?, ?, ?)');
  const remove = database.prepare('DELETE FROM streams WHERE name = ?');
  const note = database.prepare('INSERT OR IGNORE INTO names VALUES (?)');

  return {
    /** Names that no call has returned before. */
    async *onlyNew(names: AsyncIterable<string>): AsyncGenerator<string> {
      for await (const name of names) if (note.run(name).changes === 1) yield name;
    },
    find(stream: string): StreamDigest | undefined {
      const row = find.get(stream);
      return row && digestIn(row);
    },
    put(stream: string, { first, last, events, digest, marks }: StreamDigest): void {
      put.run(stream, first, last, events, digest, marks);
    },
    remove: (stream: string) => void remove.run(stream),
    /** Digests by name; entries already returned may be removed meanwhile. */
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

const digestIn = ([, first, last, events, digest, marks]: Row): StreamDigest => ({
  first,
  last,
  events: Number(events),
  digest,
  marks,
});
