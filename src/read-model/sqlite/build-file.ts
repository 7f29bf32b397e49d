import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Projection } from '../../../projections/projection.js';
import { emptyWriteAheadLog } from '../../data-directory/empty-log.js';
import { isBusy } from '../../data-directory/sqlite-errors.js';
import { writeAnew } from '../../data-directory/write-anew.js';
import { StoreUnusable } from '../../event-store/errors.js';
import type { JsonObject } from '../../event-store/event-store.js';
import { fold, type Write } from '../fold.js';
import type { Plan } from '../query.js';
import type { BuildStatus, EventOperations, Found } from '../read-model.js';
import {
  applicationId,
  bulkPragmas,
  finish,
  livePragmas,
  makeTables,
  patchSql,
  removedTable,
  schemaVersion,
  select,
  selectWith,
} from './schema.js';

/** While a file is loaded, so many events share a commit, which writes pages that several of them have changed once. */
const commitEvery = 20_000;

/** A build whose tables another release made otherwise. It is of no use to this one, and the view is made anew. */
export class BuildOfAnotherSchema extends StoreUnusable {
  constructor(path: string, schema: number) {
    super(`${path} is of schema ${schema}, this release reads ${schemaVersion}: rebuild the view`);
  }
}

const writeAnewEveryMs = 10 * 60_000;
const cleanAfterMs = 500;
const cleanAgainMs = 100;

/** The file of one build, opened by one connection. */
export type BuildFile = {
  readonly path: string;
  checkpoint(): bigint | undefined;
  apply(batch: readonly EventOperations[], position: bigint): void;
  finish(): void;
  get(key: string): JsonObject | undefined;
  find(plan: Plan): Found[];
  findWith(field: string, values: readonly string[]): Found[];
  close(): void;
};

/**
 * Opens the file of a build; `make` says what to do where there is none. Throws `StoreUnusable` where the file is not a
 * view of ours, or was left before it was finished, unless it is opened to be loaded (`bulk`);
 * `BuildOfAnotherSchema`.
 */
export function openBuildFile(path: string, projection: Projection, make: 'no' | 'yes' | 'bulk'): BuildFile {
  const isNew = make !== 'no' && !existsSync(path);
  const database = new Database(path, { fileMustExist: !isNew });
  try {
    if (isNew) database.exec(bulkPragmas + makeTables(projection));
    if (isNew && make === 'yes') database.exec(finish(projection));
    const { finished } = judge(database, path);
    if (!finished && make !== 'bulk') {
      throw new StoreUnusable(`${path} was left before it was finished: rebuild the view`);
    }
    database.exec(finished ? livePragmas : bulkPragmas);
    const writes = make !== 'no';
    if (writes) database.exec(removedTable);
    return buildFile(path, projection, database, { unfinished: !finished, writes });
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Throws `StoreUnusable`. */
function judge(database: Database.Database, path: string): { readonly finished: boolean } {
  if (database.pragma('application_id', { simple: true }) !== applicationId) {
    throw new StoreUnusable(`${path} is not a view of this service`);
  }
  const version = database.pragma('user_version', { simple: true }) as number; // SQLite keeps an integer there
  if (Math.abs(version) !== schemaVersion) {
    throw new BuildOfAnotherSchema(path, Math.abs(version));
  }
  return { finished: version > 0 };
}

/** Undefined where it is of another schema. Throws `StoreUnusable` where it is not a view of ours. */
export function describeBuildFile(path: string): BuildStatus | undefined {
  const database = new Database(path, { fileMustExist: true });
  try {
    const { finished } = judge(database, path);
    return { finished, position: checkpointIn(database)() };
  } catch (error) {
    if (error instanceof BuildOfAnotherSchema) return undefined;
    throw error;
  } finally {
    database.close();
  }
}

/** Gives undefined before the first batch. */
function checkpointIn(database: Database.Database): () => bigint | undefined {
  const position = database.prepare('SELECT position FROM progress').pluck().safeIntegers();
  return () => (position.get() ?? undefined) as bigint | undefined;
}

function buildFile(
  path: string,
  projection: Projection,
  database: Database.Database,
  { unfinished, writes }: { readonly unfinished: boolean; readonly writes: boolean },
): BuildFile {
  let isLoading = unfinished;
  const statements = new Map<string, Database.Statement<unknown[]>>();
  const prepared = (sql: string): Database.Statement<unknown[]> => {
    const statement = statements.get(sql) ?? database.prepare<unknown[]>(sql);
    statements.set(sql, statement);
    return statement;
  };

  const checkpoint = checkpointIn(database);

  const put = database.prepare<[string, string]>(
    'INSERT INTO documents (key, document) VALUES (?, jsonb(?)) ON CONFLICT (key) DO UPDATE SET document = excluded.document',
  );
  let hasRemoved = false; // the latest batch
  let writeAnewAfter = Number.NEGATIVE_INFINITY;
  const remove = database.prepare<[string]>('DELETE FROM documents WHERE key = ?');
  const write = (key: string, change: Write): void => {
    if (change.kind === 'put') put.run(key, JSON.stringify(change.document));
    else if (change.kind === 'remove') hasRemoved = remove.run(key).changes > 0 || hasRemoved;
    else patch(key, Object.entries(change.fields));
  };
  const patch = (key: string, fields: readonly (readonly [string, unknown])[]): void => {
    if (fields.length === 0) return;
    const sql = patchSql(fields.map(([field]) => field));
    prepared(sql).run(...fields.map(([, value]) => JSON.stringify(value)), key);
  };

  const rows = (sql: string, values: readonly unknown[]): Found[] =>
    (prepared(sql).all(...values) as { key: string; document: string }[]).map(({ key, document }) => ({
      key,
      document: JSON.parse(document),
    }));

  let uncommitted = 0;
  const commit = (): void => {
    if (database.inTransaction) database.exec('COMMIT');
    uncommitted = 0;
  };

  const applyAll = (batch: readonly EventOperations[], upTo: bigint): void => {
    // Documents and checkpoint move in one transaction: what is at the checkpoint or before it has been applied, and
    // neither a position in each document nor a tombstone for each removed one is needed to know.
    const applied = checkpoint() ?? -1n;
    if (upTo <= applied) return;
    for (const [key, change] of fold(batch.filter((event) => event.position > applied))) write(key, change);
    if (hasRemoved) prepared('INSERT OR IGNORE INTO removed VALUES (1)').run();
    prepared('UPDATE progress SET position = ?').run(upTo);
  };
  const apply = database.transaction(applyAll);

  /** Where a failure comes in between, what was not committed is lost with the connection, and is loaded again. */
  function load(batch: readonly EventOperations[], upTo: bigint): void {
    if (!database.inTransaction) database.exec('BEGIN IMMEDIATE');
    applyAll(batch, upTo);
    uncommitted += batch.length;
    if (uncommitted >= commitEvery) commit();
  }

  let isAnew = false;
  let cleaning: NodeJS.Timeout | undefined;

  function cleanIn(ms: number): void {
    clearTimeout(cleaning);
    cleaning = setTimeout(() => {
      try {
        clean();
      } catch (error) {
        // Others read or write. Whatever else is in the way, the next batch meets it too and tells of it.
        cleanIn(isBusy(error) ? cleanAgainMs : writeAnewEveryMs);
      }
    }, ms).unref();
  }

  /** The log is emptied soon; writing the file anew takes a while, and is not done again and again. */
  function clean(): void {
    const now = performance.now();
    if (!isAnew && now >= writeAnewAfter) {
      writeAnew(database);
      isAnew = true;
      writeAnewAfter = now + writeAnewEveryMs;
    }
    const isEmptied = emptyWriteAheadLog(database);
    if (isAnew && isEmptied) prepared('DELETE FROM removed').run();
    else cleanIn(isEmptied ? writeAnewAfter - now : cleanAgainMs);
  }

  /**
   * Removals come in several batches: the file is cleaned of them once none has come for a while. That it has still to be
   * done is kept in the file, for a process that is killed knows nothing any more.
   */
  function applyLive(batch: readonly EventOperations[], upTo: bigint): void {
    hasRemoved = false;
    apply.immediate(batch, upTo);
    if (!hasRemoved) return;
    isAnew = false;
    cleanIn(cleanAfterMs);
  }

  if (writes && !isLoading && prepared('SELECT only FROM removed').get() !== undefined) cleanIn(cleanAfterMs);

  const byKey = database.prepare<[string]>('SELECT json(document) FROM documents WHERE key = ?').pluck();

  return {
    path,
    checkpoint,
    apply: (batch, upTo) => (isLoading ? load(batch, upTo) : applyLive(batch, upTo)),
    finish() {
      commit();
      database.exec(finish(projection) + livePragmas);
      isLoading = false;
    },
    get(key) {
      const document = byKey.get(key) as string | undefined;
      return document === undefined ? undefined : JSON.parse(document);
    },
    find(plan) {
      const { sql, values } = select(plan);
      return rows(sql, values);
    },
    findWith: (field, values) => rows(selectWith(field), [JSON.stringify(values)]),
    close() {
      clearTimeout(cleaning);
      if (isLoading) commit();
      database.close();
    },
  };
}
