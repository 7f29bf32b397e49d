import Database from 'better-sqlite3';
import { asFileError, StoreDamaged, StoreUnavailable } from '../../kernel/store-errors.js';

export const isBusy = (error: unknown): boolean =>
  error instanceof Database.SqliteError && /^SQLITE_(BUSY|LOCKED)/.test(error.code);

const isDamage = (error: unknown): boolean =>
  error instanceof SyntaxError || // invalid stored JSON
  (error instanceof Database.SqliteError &&
    (/^SQLITE_(CORRUPT|NOTADB)/.test(error.code) || error.message === 'malformed JSON')); // what JSONB functions say

/** Converts errors of SQLite and the file system to those of the port; returns others unchanged. */
export function asStoreError(error: unknown, file: string): unknown {
  if (isDamage(error))
    return new StoreDamaged(file, `${file} is damaged: ${(error as Error).message}`, { cause: error });
  if (isBusy(error)) return new StoreUnavailable(`${file} is locked by another process`, { cause: error });
  if (error instanceof Database.SqliteError) {
    return new StoreUnavailable(`${file}: ${error.message} (${error.code})`, { cause: error });
  }
  return asFileError(error);
}

export function withStoreErrors<Result>(file: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw asStoreError(error, file);
  }
}
