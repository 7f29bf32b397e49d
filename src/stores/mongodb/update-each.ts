import type { BulkWriteOptions, BulkWriteResult, Collection, Filter, UpdateFilter } from 'mongodb';

/** Of one document: the driver does not retry updates of several documents when the primary steps down. */
export type DocumentUpdate<Row extends { readonly _id: string | Date }> = {
  readonly filter: Filter<Row> & { readonly _id: Row['_id'] };
  readonly update: UpdateFilter<Row>;
};

/**
 * Updates documents in the order of their IDs, at least one. Engines that run a bulk as one transaction, such as DocumentDB, deadlock if
 * two bulks update the same documents in different orders.
 */
export function updateEach<Row extends { readonly _id: string | Date }>(
  collection: Collection<Row>,
  updates: readonly DocumentUpdate<Row>[],
  options: Pick<BulkWriteOptions, 'writeConcern'> = {},
): Promise<BulkWriteResult> {
  const sorted = updates.toSorted((one, other) => (one.filter._id < other.filter._id ? -1 : 1));
  return collection.bulkWrite(
    sorted.map((updateOne) => ({ updateOne })),
    { ordered: false, ...options },
  );
}
