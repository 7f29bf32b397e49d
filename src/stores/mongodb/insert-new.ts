import { type Collection, type Document, MongoBulkWriteError, type OptionalUnlessRequiredId } from 'mongodb';
import { duplicateKey } from './mongodb-errors.js';

/** Inserts the rows whose `_id` is new; returns the others, which stay unchanged. */
export async function insertNew<Row extends Document>(
  collection: Collection<Row>,
  rows: readonly OptionalUnlessRequiredId<Row>[],
): Promise<readonly OptionalUnlessRequiredId<Row>[]> {
  if (rows.length === 0) return [];
  try {
    await collection.insertMany(rows, { ordered: false });
    return [];
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError)) throw error;
    const failures = [error.writeErrors].flat();
    const others = failures.some(({ code }) => code !== duplicateKey) || error.result.getWriteConcernError();
    if (others || failures.length === 0) throw error;
    const taken = new Set(failures.map(({ index }) => index));
    return rows.filter((_, index) => taken.has(index));
  }
}
