import {
  type BulkWriteOptions,
  type BulkWriteResult,
  type Collection,
  type Document,
  type Filter,
  MongoBulkWriteError,
  type OptionalUnlessRequiredId,
  type UpdateFilter,
} from 'mongodb';
import { duplicateKey } from './mongodb-errors.js';

/** Update of one document: the driver does not retry updates of several documents when the primary steps down. */
export type DocumentUpdate<Row extends { _id: string | Date }> = {
  filter: Filter<Row> & { _id: Row['_id'] };
  update: UpdateFilter<Row>;
};

/**
 * The order of bulks: engines that run one as a transaction, such as DocumentDB, deadlock if two bulks write the same
 * documents in different orders.
 */
export const byId = <Id extends string | Date>(one: { _id: Id }, other: { _id: Id }): number =>
  one._id < other._id ? -1 : 1;

/** Updates documents in the order of their IDs, at least one. */
export function updateEach<Row extends { _id: string | Date }>(
  collection: Collection<Row>,
  updates: readonly DocumentUpdate<Row>[],
  options: Pick<BulkWriteOptions, 'writeConcern'> = {},
): Promise<BulkWriteResult> {
  const sorted = updates.toSorted((one, other) => byId(one.filter, other.filter));
  return collection.bulkWrite(
    sorted.map((updateOne) => ({ updateOne })),
    { ordered: false, ...options },
  );
}

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
