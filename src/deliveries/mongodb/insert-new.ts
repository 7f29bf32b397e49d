import { type Collection, type Document, MongoBulkWriteError, type OptionalUnlessRequiredId } from 'mongodb';

const duplicateKey = 11_000;

/** Inserts what is not there yet, by `_id`; what is there stays as it is. Returns how many are new. */
export async function insertNew<Row extends Document>(
  collection: Collection<Row>,
  rows: readonly OptionalUnlessRequiredId<Row>[],
): Promise<number> {
  if (rows.length === 0) return 0;
  try {
    return (await collection.insertMany(rows, { ordered: false })).insertedCount;
  } catch (error) {
    if (error instanceof MongoBulkWriteError && wereThere(error)) return error.insertedCount;
    throw error;
  }
}

function wereThere(error: MongoBulkWriteError): boolean {
  const failures = [error.writeErrors].flat();
  return (
    failures.length > 0 && failures.every(({ code }) => code === duplicateKey) && !error.result.getWriteConcernError()
  );
}
