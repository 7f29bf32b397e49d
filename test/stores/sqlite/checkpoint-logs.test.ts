import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
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

  /** Number of restarts of the WAL: its header counts that (https://sqlite.org/fileformat2.html#walformat). */
  const restarts = (): number => readFileSync(`${path}-wal`).readUInt32BE(12);

  /** Rows in the file itself, without its log; undefined where it was copied while it was written. */
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
    let rows = 0;
    const add = (number: number) => {
      write(database, number);
      rows += number;
    };
    for (let round = 1; round <= 2; round += 1) {
      add(200);
      await until(() => rowsInFile() === rows, 'the rows to be in the file');
      const before = restarts();
      // The first write after a complete checkpoint restarts it; one that comes before the checkpoint is over does not.
      const restartsAtWrite = () => {
        add(1);
        return restarts() > before;
      };
      await until(restartsAtWrite, 'the WAL to restart', { everyMs: 100 });
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

  it('logs once if one cannot be moved, and continues with the others', async () => {
    const broken = join(directory, 'broken.db');
    writeFileSync(broken, 'x'.repeat(8_192));
    const database = openDatabaseFile(directory, file);
    await start(broken, path);
    for (let round = 1; round <= 2; round += 1) {
      write(database, 10);
      await until(() => rowsInFile() === round * 10, 'the rows to be in the file');
    }
    database.close();
    expect(logged).to.have.lengthOf(1);
    expect(logged[0]).to.include('a log could not be moved').and.include('broken.db');
  });
});
