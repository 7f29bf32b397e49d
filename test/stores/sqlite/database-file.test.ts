import { copyFileSync, existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { StoreUnusable } from '../../../src/kernel/store-errors.js';
import { type DatabaseFile, openDatabaseFile } from '../../../src/stores/sqlite/database-file.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const notes: DatabaseFile = {
  name: 'notes.db',
  applicationId: 4711,
  migrations: ['CREATE TABLE notes (text TEXT NOT NULL)'],
};
const laterNotes: DatabaseFile = {
  ...notes,
  migrations: [...notes.migrations, 'ALTER TABLE notes ADD COLUMN done INTEGER NOT NULL DEFAULT 0'],
};

/** A directory with a file that holds a thousand notes. */
function directoryWithNotes(): { directory: string; path: string } {
  const directory = temporaryDirectory();
  const database = openDatabaseFile(directory, notes);
  const add = database.prepare('INSERT INTO notes VALUES (?)');
  database.transaction(() => {
    for (let note = 0; note < 1000; note += 1) add.run(`note ${note} ${'x'.repeat(100)}`);
  })();
  database.close();
  return { directory, path: join(directory, notes.name) };
}

/** Copy of an open database as a crash of its process would leave it. */
function leftByCrash(database: Database.Database): { directory: string; path: string } {
  const directory = temporaryDirectory();
  const path = join(directory, notes.name);
  for (const suffix of ['', '-wal']) copyFileSync(`${database.name}${suffix}`, `${path}${suffix}`);
  return { directory, path };
}

const bytesOf = (path: string) =>
  Object.fromEntries(
    ['', '-wal', '-journal']
      .filter((suffix) => existsSync(path + suffix))
      .map((suffix) => [suffix, readFileSync(path + suffix).toString('base64')]),
  );

function expectUntouchedRefusal({ directory, path }: { directory: string; path: string }, message: RegExp): void {
  const before = bytesOf(path);
  expect(() => openDatabaseFile(directory, notes)).to.throw(StoreUnusable, message);
  expect(bytesOf(path)).to.deep.equal(before);
}

describe('a database file of the data directory', () => {
  it('syncs every commit, and is accessible to its owner only', () => {
    const directory = join(temporaryDirectory(), 'data');
    const database = openDatabaseFile(directory, notes);
    database.exec("INSERT INTO notes VALUES ('one')");
    expect(database.pragma('journal_mode', { simple: true })).to.equal('wal');
    expect(database.pragma('synchronous', { simple: true })).to.equal(2); // FULL
    const modes = ['', '/notes.db', '/notes.db-wal', '/notes.db-shm'].map(
      (path) => statSync(directory + path).mode & 0o777,
    );
    expect(modes).to.deep.equal([0o700, 0o600, 0o600, 0o600]);
    database.close();
  });

  it('is brought to the current schema, once, with what it holds', () => {
    const { directory } = directoryWithNotes();
    for (let time = 0; time < 2; time += 1) {
      const database = openDatabaseFile(directory, laterNotes);
      expect(database.prepare('SELECT count(*) FROM notes WHERE done = 0').pluck().get()).to.equal(1000);
      expect(database.pragma('user_version', { simple: true })).to.equal(2);
      database.close();
    }
  });

  it('stays at its schema where a migration fails', () => {
    const { directory } = directoryWithNotes();
    const broken = { ...notes, migrations: [...notes.migrations, 'CREATE TABLE more (text TEXT); nonsense'] };
    expect(() => openDatabaseFile(directory, broken)).to.throw();
    const database = openDatabaseFile(directory, notes);
    expect(database.prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'more'").pluck().get()).to.equal(0);
    database.close();
  });

  it('continues from the log that a crash left', () => {
    const { directory } = directoryWithNotes();
    const database = openDatabaseFile(directory, notes);
    database.exec("INSERT INTO notes VALUES ('in the log')");
    const crashed = leftByCrash(database);
    database.close();
    const recovered = openDatabaseFile(crashed.directory, notes);
    expect(recovered.prepare('SELECT count(*) FROM notes').pluck().get()).to.equal(1001);
    recovered.close();
  });

  it('is refused and left untouched where a newer release wrote it', () => {
    const file = directoryWithNotes();
    openDatabaseFile(file.directory, laterNotes).close();
    expectUntouchedRefusal(file, /newer release \(schema 2, this one knows up to 1\)/);
  });

  it('is refused and left untouched where the log says that a newer release wrote it', () => {
    const { directory } = directoryWithNotes();
    const database = openDatabaseFile(directory, laterNotes);
    database.exec("INSERT INTO notes VALUES ('in the log', 0)");
    const crashed = leftByCrash(database);
    database.close();
    expectUntouchedRefusal(crashed, /newer release/);
  });

  it('is refused and left untouched where it is the database of something else', () => {
    const directory = temporaryDirectory();
    const path = join(directory, notes.name);
    const foreign = new Database(path);
    foreign.exec('CREATE TABLE theirs (text TEXT)');
    foreign.close();
    expectUntouchedRefusal({ directory, path }, /not a file of this service/);
  });

  it('is refused and left untouched where it is no database', () => {
    const directory = temporaryDirectory();
    const path = join(directory, notes.name);
    for (const content of ['', 'just some text\n'.repeat(1000)]) {
      writeFileSync(path, content);
      expectUntouchedRefusal({ directory, path }, /not a file of this service|damaged/);
    }
  });

  it('is refused and left untouched where its pages are damaged', () => {
    const file = directoryWithNotes();
    const bytes = readFileSync(file.path);
    writeFileSync(file.path, bytes.fill(0xa5, 4096, 5 * 4096));
    expectUntouchedRefusal(file, /damaged/);
  });

  it('is refused and left untouched where its end is missing', () => {
    const file = directoryWithNotes();
    truncateSync(file.path, 4 * 4096);
    expectUntouchedRefusal(file, /damaged/);
  });
});
