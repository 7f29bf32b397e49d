import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import fc from 'fast-check';
import { generateSigningKeys, signingKeys } from '../../../src/access/keys/signing-keys.js';
import { checkSeal, recordedErasures, type SealFinding } from '../../../src/audit/seals/check-seal.js';
import { makeSeal } from '../../../src/audit/seals/make-seal.js';
import { keysCodec, keysStream } from '../../../src/events/key-events.js';
import { recordedAt } from '../../../src/stores/event-store/codec.js';
import type { EventStore, RecordedEvent } from '../../../src/stores/event-store/event-store.js';
import { readIfExists } from '../../../src/stores/event-store/read-if-exists.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { issued } from '../../access/tokens/fixtures.js';
import { nextId, paused, subscribed } from '../../listeners/fixtures.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { appendListenerEvent, appendSessionEvent, day } from '../append-events.js';

const later = '{"recordedAt":"2026-03-01T00:00:00.000Z"}';

const sealed = ['listener', 'integrationTask', 'organisation', 'session', 'portal', 'service'];

/** The file as a program with the right to write it leaves it: constraints are no obstacle, since it can drop them. */
const withoutConstraints = `
  CREATE TABLE free_streams (id INTEGER PRIMARY KEY, name TEXT);
  INSERT INTO free_streams SELECT * FROM streams;
  CREATE TABLE free_events (position INTEGER PRIMARY KEY AUTOINCREMENT, stream INTEGER, revision INTEGER, id TEXT,
    category TEXT, type TEXT, data TEXT, metadata TEXT, created INTEGER);
  INSERT INTO free_events SELECT * FROM events;
  DROP TABLE events;
  DROP TABLE streams;
  ALTER TABLE free_streams RENAME TO streams;
  ALTER TABLE free_events RENAME TO events;
  CREATE INDEX events_by_category ON events (category, position);`;

describe('a seal of a file that was edited', function () {
  this.timeout(120_000);
  let original: string;
  let seal: string;
  let seenBefore: unknown;

  before(async () => {
    original = temporaryDirectory();
    seal = join(temporaryDirectory(), 'seal');
    const store = openSqliteEventStore({ directory: original, clock: () => day(1) });
    const keys = await signingKeys(generateSigningKeys());
    const retired = { masterKeys: [], signingKeys: [] };
    const recorded = { masterKeys: {}, signingKeys: [...keys.thumbprints], signsFrom: {}, retired };
    const cause = { actor: 'service', correlationId: 'start' };
    await store.append(keysStream, [keysCodec.encode({ type: 'KeysRecorded', data: recorded }, cause, day(1))]);
    await appendListenerEvent(store, subscribed(), { at: day(1) });
    await appendSessionEvent(store, issued(), { at: day(1) });
    await appendListenerEvent(store, paused({ since: 0 }), { at: day(1) });
    const other = subscribed({ hookUrl: 'https://hooks.example.com/2', listenerId: nextId });
    await appendListenerEvent(store, other, { at: day(1) });
    for (const stream of ['organisation-1', 'portal-1', 'flow-1', 'flow-1']) {
      await store.append(stream, [
        { id: crypto.randomUUID(), type: 'Undated', data: { orgId: 'org-1', of: stream }, metadata: {} },
      ]);
    }
    await makeSeal({ store, signingKeys: keys, path: seal, now: () => day(20) });
    seenBefore = await seenIn(store);
    await store.close();
    const database = new Database(join(original, 'events.db'));
    database.pragma('foreign_keys = OFF');
    database.exec(withoutConstraints);
    database.close();
  });

  async function edited(work: (database: Database.Database) => void): Promise<EventStore> {
    const directory = temporaryDirectory();
    copyFileSync(join(original, 'events.db'), join(directory, 'events.db'));
    const database = new Database(join(directory, 'events.db'));
    database.pragma('synchronous = OFF');
    database.pragma('foreign_keys = OFF');
    work(database);
    database.close();
    return openSqliteEventStore({ directory });
  }

  async function findingsIn(store: EventStore): Promise<readonly SealFinding[]> {
    return checkSeal({ store, path: seal, findErasure: recordedErasures(store) }, async ({ findings }) => {
      const found: SealFinding[] = [];
      for await (const finding of findings) found.push(finding);
      return found;
    });
  }

  it('matches where nothing was changed', async () => {
    const store = await edited(() => undefined);
    expect(await seenIn(store)).to.deep.equal(seenBefore);
    expect(await findingsIn(store)).to.deep.equal([]);
    await store.close();
  });

  it('shows rows of another category, of a second stream with the same name, and of a stream without a name', async () => {
    const added = (database: Database.Database, stream: number, category: string, revision: number) =>
      database
        .prepare(
          'INSERT INTO events SELECT NULL, ?, ?, id, ?, type, data, ?, created FROM events WHERE stream = 2 LIMIT 1',
        )
        .run(stream, revision, category, later);
    const cases: readonly [(database: Database.Database) => void, RegExp][] = [
      [(database) => added(database, 2, 'hidden', 2), /^listener-.*: unexplained at 2/],
      [(database) => added(database, 7, 'listener', 2), /^flow-1: unexplained at 2/],
      [
        (database) => database.exec("UPDATE events SET category = 'hidden' WHERE stream = 2"),
        /^listener-.*: unexplained at 0/,
      ],
      [(database) => added(database, 99, 'listener', 0), /^stream 99 without a name: unexplained at 0/],
      [
        (database) => {
          database.exec('INSERT INTO streams SELECT -1, name FROM streams WHERE id = 2');
          added(database, -1, 'hidden', 0);
        },
        /^listener-.*: changed at 0/,
      ],
      [(database) => database.exec('UPDATE events SET position = -position'), /: unexplained at 0/],
    ];
    for (const [edit, expected] of cases) {
      const store = await edited(edit);
      const [first] = await findingsIn(store);
      const shown = first && 'from' in first ? `${first.stream}: ${first.kind} at ${first.from}` : 'nothing';
      expect(shown, edit.toString()).to.match(expected);
      await store.close();
    }
  });

  it('differs whenever a reader of the history sees anything else, whichever column of a table was edited', async () => {
    const columns = {
      streams: ['id', 'name'],
      events: ['position', 'stream', 'revision', 'id', 'category', 'type', 'data', 'metadata', 'created'],
      sqlite_sequence: ['seq'],
    } as const;
    const tables = Object.keys(columns) as (keyof typeof columns)[];
    const target = fc
      .constantFrom(...tables)
      .chain((table) => fc.record({ table: fc.constant(table), column: fc.constantFrom(...columns[table]) }));
    const value = fc.oneof(
      fc.record({ from: fc.nat(11) }), // the column of another row
      fc.constantFrom(
        -1,
        0,
        1,
        2,
        1_000_000,
        'hidden',
        'listener',
        'listener-x',
        'flow-1',
        '{}',
        '[]',
        'null',
        '{',
        '1e400',
      ),
      fc.constantFrom('{"recordedAt":"never"}', '{"schemaVersion":99}', '{"orgId":"org-1","of":"someone"}', 1e17),
      fc.string(),
      fc.integer(),
    );
    const edit = fc.record({ target, row: fc.nat(11), value, times: fc.constantFrom('update', 'insert') });
    let differed = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 2 }), async (edits) => {
        const store = await edited((database) => {
          for (const {
            target: { table, column },
            row,
            value: given,
            times,
          } of edits) {
            const rows = database.prepare(`SELECT rowid AS place, * FROM ${table}`).all() as Record<string, unknown>[];
            const at = rows[row % rows.length];
            const next = typeof given === 'object' ? rows[given.from % rows.length]?.[column] : given;
            const names = columns[table].map((name) => (name === column ? '?' : name));
            const key = table === 'streams' ? 'id' : 'position';
            const copied = names.map((name) => (name === key ? 'NULL' : name));
            try {
              if (times === 'update')
                database.prepare(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`).run(next, at?.place);
              else
                database
                  .prepare(`INSERT INTO ${table} (${columns[table]}) SELECT ${copied} FROM ${table} WHERE rowid = ?`)
                  .run(next, at?.place);
            } catch (error) {
              if (!(error instanceof Database.SqliteError)) throw error; // a row with this key exists, or no row can have it
            }
          }
        });
        try {
          const seen = await seenIn(store).catch(() => 'not readable');
          const findings = await findingsIn(store).catch(() => 'not readable');
          if (isDeepStrictEqual(seen, seenBefore)) return;
          differed += 1;
          expect(findings).not.to.deep.equal([]);
        } finally {
          await store.close();
        }
      }),
      { numRuns: 100 },
    );
    expect(differed).to.be.greaterThan(0);
  });
});

/** Events by stream, so that the order of events of different streams, which a seal does not cover, plays no part. */
async function seenIn(store: EventStore) {
  const ofStreams: Record<string, unknown[]> = {};
  const ofCategories: Record<string, unknown[]> = {};
  const names = new Set<string>();
  for await (const name of store.streamNames(sealed)) names.add(name);
  for (const name of [...names].sort()) {
    for await (const event of readIfExists(store.readStream(name))) {
      ofStreams[name] ??= [];
      ofStreams[name].push(shown(event));
    }
  }
  for (const category of sealed) {
    for await (const event of store.readAll({ filter: { categories: [category] } })) {
      const of = `${category}: ${event.stream}`;
      ofCategories[of] ??= [];
      ofCategories[of].push(shown(event));
    }
  }
  return { ofStreams, ofCategories };
}

const shown = (event: RecordedEvent) => {
  const { id, revision, type, data, metadata } = event;
  return { id, revision, type, data, metadata, at: recordedAt(event) };
};
