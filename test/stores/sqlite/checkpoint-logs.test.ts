import { copyFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { pino } from 'pino';
import { checkpointLogs } from '../../../src/stores/sqlite/checkpoint-logs.js';
import { type DatabaseFile, openDatabaseFile } from '../../../src/stores/sqlite/database-file.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { until } from '../../support/until.js';

const file: DatabaseFile = {
  name: 'some.db',
  applicationId: 1,
  migrations: ['CREATE TABLE things (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT'],
};

describe('moving logs into databases', () => {
  let directory: string;
  let path: string;
  let logged: string[];
  let stop: () => Promise<void>;

  beforeEach(() => {
    directory = temporaryDirectory();
    path = join(directory, file.name);
    logged = [];
  });
  afterEach(() => stop());

  const start = async (...paths: string[]) => {
    const log = pino({}, { write: (line: string) => void logged.push(line) });
    stop = await checkpointLogs(paths, log);
  };

  function write(database: Database.Database, rows: number): void {
    const add = database.prepare('INSERT INTO things (text) VALUES (?)');
    for (let row = 0; row < rows; row += 1) add.run('x'.repeat(2_000));
  }

  /** Size in bytes of the WAL that this many rows make without a checkpoint. */
  function logOf(rows: number): number {
    const elsewhere = temporaryDirectory();
    const database = openDatabaseFile(elsewhere, file);
    write(database, rows);
    const { size } = statSync(join(elsewhere, `${file.name}-wal`));
    database.close();
    return size;
  }

  /** What is in the file itself, without the log beside it; undefined where it was copied while it was written. */
  function rowsInFile(): number | undefined {
    const copy = join(temporaryDirectory(), 'copy.db');
    copyFileSync(path, copy);
    const database = new Database(copy);
    try {
      return database.prepare<[], number>('SELECT count(*) FROM things').pluck().get();
    } catch (error) {
      if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_CORRUPT')) return undefined;
      throw error;
    } finally {
      database.close();
    }
  }

  it('runs concurrently with commits, whose WAL restarts', async () => {
    const database = openDatabaseFile(directory, file);
    await start(path);
    const longest = logOf(600); // it goes on where something is written before a checkpoint is quite over
    for (let round = 1; round <= 5; round += 1) {
      write(database, 200);
      await until(() => rowsInFile() === round * 200, 'the rows to be in the file');
      expect(statSync(`${path}-wal`).size).to.be.at.most(longest);
    }
    database.close();
    expect(logged).to.deep.equal([]);
  });

  it('takes up a database that is made later', async () => {
    await start(path);
    const database = openDatabaseFile(directory, file);
    write(database, 10);
    await until(() => rowsInFile() === 10, 'the rows to be in the file');
    database.close();
  });

  it('says once where one cannot be moved, and goes on with the others', async () => {
    const broken = join(directory, 'broken.db');
    writeFileSync(broken, 'x'.repeat(8_192));
    const database = openDatabaseFile(directory, file);
    await start(broken, path);
    for (let round = 1; round <= 3; round += 1) {
      write(database, 10);
      await until(() => rowsInFile() === round * 10, 'the rows to be in the file');
    }
    database.close();
    expect(logged).to.have.lengthOf(1);
    expect(logged[0]).to.include('a log could not be moved').and.include('broken.db');
  });
});
