import type { AnyBulkWriteOperation, Collection, Filter } from 'mongodb';
import { StoreDamaged } from '../../kernel/store-errors.js';
import { NotSerialisable } from '../../stores/event-store/errors.js';
import type { JsonObject } from '../../stores/event-store/event-store.js';
import { findFault } from '../../stores/event-store/serialise.js';
import { insertNew } from '../../stores/mongodb/bulk-writes.js';
import { type Write, writesOf } from '../project.js';
import type { Plan } from '../query.js';
import type { EventOperations, FoundDocument } from '../read-model.js';
import { type DocumentRow, pathOf } from './collections.js';

/** Tombstones have none. */
const isThere = { document: { $exists: true } } as const;

export async function getDocument(documents: Collection<DocumentRow>, key: string): Promise<JsonObject | undefined> {
  const row = await documents.findOne({ _id: key, ...isThere });
  return row ? documentOf(documents, row) : undefined;
}

/** Throws `StoreDamaged` where something else is in the place of the document. */
function documentOf({ collectionName }: Collection<DocumentRow>, { _id, document }: DocumentRow): JsonObject {
  if (typeof document === 'object' && document !== null && !Array.isArray(document)) return document;
  throw new StoreDamaged(collectionName, `${collectionName} is damaged: the document ${_id} is not an object`);
}

const filterOf = ({ equals, range, direction, after }: Plan): Filter<DocumentRow> => ({
  ...isThere,
  ...Object.fromEntries(equals.map(({ field, value }) => [pathOf(field), value])),
  ...(range && { [pathOf(range.field)]: { $gt: range.above, $lte: range.atMost } }),
  ...(after !== undefined && { _id: direction === 'backwards' ? { $lt: after } : { $gt: after } }),
});

export const countDocuments = (documents: Collection<DocumentRow>, plan: Plan): Promise<number> =>
  documents.countDocuments(filterOf(plan), { limit: plan.limit });

/** The server chooses the index: not every one takes a hint. */
export async function findDocuments(documents: Collection<DocumentRow>, plan: Plan): Promise<readonly FoundDocument[]> {
  const { direction, descendingBy, limit } = plan;
  const rows = await documents
    .find(filterOf(plan), {
      projection: { document: 1 },
      sort:
        descendingBy === undefined
          ? { _id: direction === 'backwards' ? -1 : 1 }
          : { [pathOf(descendingBy)]: -1, _id: -1 }, // the index backwards
      limit,
      batchSize: limit + 1, // one answer holds all of them
    })
    .toArray();
  return rows.map((row) => ({ key: row._id, document: documentOf(documents, row) }));
}

const valuesAtOnce = 1_000;

export async function documentsWith(
  documents: Collection<DocumentRow>,
  field: string,
  values: readonly string[],
): Promise<readonly FoundDocument[]> {
  const found: FoundDocument[] = [];
  for (let at = 0; at < values.length; at += valuesAtOnce) {
    const filter = { ...isThere, [pathOf(field)]: { $in: values.slice(at, at + valuesAtOnce) } };
    const rows = documents.find(filter as Filter<DocumentRow>, { projection: { document: 1 } }); // a field of the document
    for await (const row of rows) found.push({ key: row._id, document: documentOf(documents, row) });
  }
  return found;
}

type Update = AnyBulkWriteOperation<DocumentRow>;

/**
 * Unless a later position has written a document, so that a batch may be repeated, in part or by two writers. A put is
 * an insert, then a replacement: on some servers two concurrent upserts both succeed. Patches follow puts, so that an
 * ended document always has its successor; `unread`: no reader needs that.
 */
export async function writeDocuments(
  documents: Collection<DocumentRow>,
  batch: readonly EventOperations[],
  { unread = false }: { unread?: boolean } = {},
): Promise<void> {
  const positions = new Map<string, bigint>();
  for (const { position, operations } of batch) {
    for (const operation of operations) if ('key' in operation) positions.set(operation.key, position);
  }
  const rows: DocumentRow[] = [];
  const tombstones: DocumentRow[] = [];
  const patches: Update[] = [];
  // Engines that run a bulk as one transaction deadlock if two bulks write the same documents in different orders.
  for (const [key, write] of [...writesOf(batch)].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const position = positions.get(key) ?? -1n; // present: both are keyed by the same operations
    if (write.kind === 'patch') patches.push(patched(key, position, write.fields));
    else if (write.kind === 'remove' && !unread) tombstones.push(rowOf(key, position, write));
    else rows.push(rowOf(key, position, write));
  }
  const put = async (part: readonly DocumentRow[]) => {
    await update(documents, (await insertNew(documents, part)).map(replaced));
  };
  const bury = async (part: readonly DocumentRow[]) => {
    if ((await update(documents, part.map(replaced))) < part.length) await put(part);
  };
  const patch = async (part: readonly Update[]) => {
    await update(documents, part);
  };
  if (!unread) {
    await inParts(rows, put);
    await inParts(tombstones, bury);
    return inParts(patches, patch);
  }
  // No write is under way when one has failed.
  const outcomes = await Promise.allSettled([inParts(rows, put), inParts(patches, patch)]);
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure) throw failure.reason;
}

/** A larger command blocks the server for others, and this thread. */
const mostInCommand = 2_000;

async function inParts<Item>(items: readonly Item[], write: (part: readonly Item[]) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += mostInCommand) await write(items.slice(at, at + mostInCommand));
}

/** Returns the number of documents matched. */
async function update(documents: Collection<DocumentRow>, updates: readonly Update[]): Promise<number> {
  return updates.length === 0 ? 0 : (await documents.bulkWrite(updates, { ordered: false })).matchedCount;
}

function rowOf(_id: string, position: bigint, write: Exclude<Write, { kind: 'patch' }>): DocumentRow {
  if (write.kind === 'remove') return { _id, position };
  requireJson(write.document);
  return { _id, position, document: write.document };
}

const replaced = ({ _id, ...replacement }: DocumentRow): Update => ({
  replaceOne: { filter: { _id, position: { $lt: replacement.position } }, replacement },
});

function patched(_id: string, position: bigint, fields: JsonObject): Update {
  requireJson(fields);
  const values = Object.entries(fields).map(([field, value]) => [pathOf(field), value] as const);
  return {
    updateOne: {
      filter: { _id, position: { $lt: position }, document: { $exists: true } },
      update: { $set: { position, ...Object.fromEntries(values) } },
    },
  };
}

/** Throws `NotSerialisable`: MongoDB would accept a bigint, a date or a function. JSON omits undefined. */
function requireJson(value: JsonObject): void {
  const fault = findFault(value, true);
  if (fault !== undefined) throw new NotSerialisable(`a document of a view is not JSON: ${fault}`);
}
