import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { JsonObject } from '../../stores/event-store/event-store.js';
import { withStoreErrors } from '../../stores/sqlite/sqlite-errors.js';
import type { Plan } from '../query.js';
import type { FoundDocument } from '../read-model.js';
import { checkpointIn, judge } from './build-file.js';
import { removedNote } from './clean-removed.js';
import { type DocumentWrites, openDocuments, writeDocumentsTo } from './documents.js';
import { bulkPragmas, finish, livePragmas, makeTables, type ViewTables } from './schema.js';

/** A page that several events of a commit change is written once. */
const commitEvery = 20_000;

export type LoaderOptions = { path: string; view: ViewTables };

/** Loads a file without readers. Asynchronous so that another thread may run it. */
export type Loader = {
  checkpoint: () => Promise<bigint | undefined>;
  /** Uncommitted batches are lost with the process, and loaded again. Returns the size of the file in bytes. */
  load: (writes: DocumentWrites, position: bigint, events: number) => Promise<number>;
  /** Creates the indexes; from then on the file may be read. */
  finish: () => Promise<void>;
  get: (key: string) => Promise<JsonObject | undefined>;
  find: (plan: Plan) => Promise<readonly FoundDocument[]>;
  findWith: (field: string, values: readonly string[]) => Promise<readonly FoundDocument[]>;
  /** Commits everything loaded so far. */
  close: () => Promise<void>;
};

/** Throws `StoreUnusable` where the existing file cannot be continued. */
export function openLoader({ path, view }: LoaderOptions): Loader {
  const database = withStoreErrors(path, () => open(path, view));
  const attempt = async <Result>(work: () => Result): Promise<Result> => withStoreErrors(path, work);
  const checkpoint = checkpointIn(database);
  const { get, find, findWith } = openDocuments(database);
  const write = writeDocumentsTo(database);
  const move = database.prepare<[bigint]>('UPDATE progress SET position = ?');
  const removed = removedNote(database);
  let uncommitted = 0;

  function commit(): void {
    if (database.inTransaction) database.exec('COMMIT');
    uncommitted = 0;
  }

  function load(writes: DocumentWrites, position: bigint, events: number): void {
    if (!database.inTransaction) database.exec('BEGIN IMMEDIATE');
    try {
      if (write(writes)) removed.set();
      move.run(position);
    } catch (error) {
      if (database.inTransaction) database.exec('ROLLBACK'); // half a batch is not a valid state of the view
      throw error;
    }
    uncommitted += events;
    if (uncommitted >= commitEvery) commit();
  }

  return {
    checkpoint: () => attempt(checkpoint),
    load: (writes, position, events) =>
      attempt(() => {
        load(writes, position, events);
        return sizeOf(database);
      }),
    finish: () =>
      attempt(() => {
        commit();
        database.exec(finish(view) + livePragmas);
      }),
    get: (key) => attempt(() => get(key)),
    find: (plan) => attempt(() => find(plan)),
    findWith: (field, values) => attempt(() => findWith(field, values)),
    close: () =>
      attempt(() => {
        try {
          commit();
        } finally {
          database.close(); // releases its lock, so that another process can continue the file
        }
      }),
  };
}

function open(path: string, view: ViewTables): Database.Database {
  const isNew = !existsSync(path);
  const database = new Database(path, { fileMustExist: !isNew });
  try {
    if (!isNew) judge(database, path);
    database.exec(bulkPragmas + (isNew ? makeTables(view) : ''));
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

const sizeOf = (database: Database.Database): number =>
  (database.pragma('page_count', { simple: true }) as number) * // SQLite keeps integers there
  (database.pragma('page_size', { simple: true }) as number);
