import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { StoreDamaged, StoreUnusable } from '../../kernel/store-errors.js';
import { requireSound } from '../../stores/sqlite/database-file.js';
import { writesOf } from '../project.js';
import type { BuildStatus, EventOperations } from '../read-model.js';
import { cleanRemoved, removedNote } from './clean-removed.js';
import { type DocumentReader, documentWrites, openDocuments, writeDocumentsTo } from './documents.js';
import {
  applicationId,
  bulkPragmas,
  finish,
  livePragmas,
  makeTables,
  schemaVersion,
  type ViewTables,
} from './schema.js';

/** The view must be rebuilt. */
export class BuildOfAnotherSchema extends StoreUnusable {
  constructor(path: string, schema: number) {
    super(`${path} is of schema ${schema}, this release reads ${schemaVersion}: rebuild the view`);
  }
}

export type BuildFile = DocumentReader & {
  path: string;
  checkpoint(): bigint | undefined;
  apply(batch: readonly EventOperations[], position: bigint): void;
  close(): void;
};

/**
 * `write` creates a missing file, and checks the pages of an existing one. Throws `BuildOfAnotherSchema`, and
 * `StoreDamaged` where the file is damaged, not a view of this service, or unfinished.
 */
export function openBuildFile(path: string, view: ViewTables, mode: 'read' | 'write'): BuildFile {
  const isNew = mode === 'write' && !existsSync(path);
  const database = new Database(path, { fileMustExist: !isNew });
  try {
    if (isNew) database.exec(bulkPragmas + makeTables(view) + finish(view));
    if (!judge(database, path).finished) {
      throw new StoreDamaged(path, `${path} was left before it was finished: rebuild the view`);
    }
    database.exec(livePragmas);
    if (mode === 'write' && !isNew) requireSound(database, path);
    return buildFile(path, database, mode === 'write');
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Throws `StoreDamaged` where it is not a view of this service; `BuildOfAnotherSchema`. */
export function judge(database: Database.Database, path: string): { finished: boolean } {
  if (database.pragma('application_id', { simple: true }) !== applicationId) {
    throw new StoreDamaged(path, `${path} is not a view of this service`);
  }
  const version = database.pragma('user_version', { simple: true }) as number; // SQLite keeps an integer there
  if (Math.abs(version) !== schemaVersion) {
    throw new BuildOfAnotherSchema(path, Math.abs(version));
  }
  return { finished: version > 0 };
}

/** Undefined for another schema version. Throws `StoreDamaged` where it is not a view of this service. */
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

/** Undefined before the first batch. */
export function checkpointIn(database: Database.Database): () => bigint | undefined {
  const position = database.prepare('SELECT position FROM progress').pluck().safeIntegers();
  return () => (position.get() ?? undefined) as bigint | undefined;
}

function buildFile(path: string, database: Database.Database, writes: boolean): BuildFile {
  const checkpoint = checkpointIn(database);
  const write = writeDocumentsTo(database);
  const move = database.prepare<[bigint]>('UPDATE progress SET position = ?');
  const removed = writes ? removedNote(database) : undefined;

  /**
   * Documents and checkpoint move in one transaction, so neither positions in documents nor tombstones are needed. True
   * if a document was removed.
   */
  const apply = database.transaction((batch: readonly EventOperations[], upTo: bigint): boolean => {
    const applied = checkpoint() ?? -1n;
    if (upTo <= applied) return false;
    const hasRemoved = write(documentWrites(writesOf(batch.filter((event) => event.position > applied))));
    if (hasRemoved) removed?.set();
    move.run(upTo);
    return hasRemoved;
  });

  const cleaning = removed && cleanRemoved(database, removed);

  return {
    path,
    checkpoint,
    apply(batch, upTo) {
      if (apply.immediate(batch, upTo)) cleaning?.removed();
    },
    ...openDocuments(database),
    close() {
      cleaning?.end();
      database.close();
    },
  };
}
