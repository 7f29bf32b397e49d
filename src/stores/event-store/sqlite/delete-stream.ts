import type Database from 'better-sqlite3';
import { WrongExpectedRevision } from '../errors.js';

/**
 * Deletes within the caller's transaction. Throws `WrongExpectedRevision`. SQLite overwrites the data
 * (`openDatabaseFile`).
 */
export function deletionWriter(
  database: Database.Database,
): (stream: string, expectedRevision: bigint | undefined) => void {
  const prepare = (sql: string) => database.prepare<unknown[], bigint>(sql).safeIntegers(true);
  const idOf = prepare('SELECT id FROM streams WHERE name = ?').pluck();
  const lastRevision = prepare('SELECT max(revision) FROM events WHERE stream = ?').pluck();
  const removeEvents = prepare('DELETE FROM events WHERE stream = ?');
  const removeStream = prepare('DELETE FROM streams WHERE id = ?');

  return (stream, expectedRevision) => {
    const id = idOf.get(stream);
    if (id === undefined) return;
    const last = lastRevision.get(id) ?? -1n;
    if (expectedRevision !== undefined && expectedRevision !== last) {
      throw new WrongExpectedRevision(stream, expectedRevision, last);
    }
    removeEvents.run(id);
    removeStream.run(id);
  };
}
