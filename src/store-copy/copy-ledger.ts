import { createHash } from 'node:crypto';
import Database from 'better-sqlite3';

type LedgerEntry = {
  stream: string;
  /** `from`: position in the source; `to`: in the target. */
  from: bigint;
  to: bigint;
  digest: string;
};

export type LedgerSummary = {
  streams: number;
  events: number;
  /** Digest of all streams by name: equal for equal histories in any store. */
  digest: string;
};

export type CopyLedger = ReturnType<typeof openCopyLedger>;

/** An unnamed SQLite file, which the operating system removes even after a crash. */
export function openCopyLedger() {
  const database = new Database('');
  database.pragma('journal_mode = OFF');
  database.exec(`
    CREATE TABLE positions (source INTEGER PRIMARY KEY, target INTEGER NOT NULL) STRICT;
    CREATE TABLE streams (name TEXT PRIMARY KEY, events INTEGER NOT NULL, digest TEXT NOT NULL) STRICT, WITHOUT ROWID;`);
  const addPosition = database.prepare('INSERT INTO positions VALUES (?, ?)');
  const findDigest = database.prepare<[string], string>('SELECT digest FROM streams WHERE name = ?').pluck();
  const putStream = database.prepare(
    `INSERT INTO streams VALUES (?, 1, ?)
     ON CONFLICT (name) DO UPDATE SET events = events + 1, digest = excluded.digest`,
  );
  const findPosition = database
    .prepare<[bigint], bigint>('SELECT target FROM positions WHERE source <= ? ORDER BY source DESC LIMIT 1')
    .pluck()
    .safeIntegers(true);
  const allStreams = database.prepare<[], { name: string; events: number; digest: string }>(
    'SELECT name, events, digest FROM streams ORDER BY name',
  );

  return {
    add({ stream, from, to, digest }: LedgerEntry): void {
      addPosition.run(from, to);
      const before = findDigest.get(stream) ?? '';
      putStream.run(stream, createHash('sha256').update(before).update(digest).digest('base64url'));
    },
    /** Target position of the last event up to this source position; -1n: none. */
    positionOf: (position: bigint): bigint => findPosition.get(position) ?? -1n,
    summary(): LedgerSummary {
      const all = createHash('sha256');
      let streams = 0;
      let events = 0;
      for (const stream of allStreams.iterate()) {
        all.update(JSON.stringify([stream.name, stream.events, stream.digest]));
        streams += 1;
        events += stream.events;
      }
      return { streams, events, digest: all.digest('base64url') };
    },
    close: () => void database.close(),
  };
}
