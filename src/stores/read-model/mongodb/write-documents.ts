import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import type { JsonObject } from '../../event-store/event-store.js';
import { insertNew } from '../../mongodb/insert-new.js';
import { fold, type Write } from '../fold.js';
import type { EventOperations } from '../read-model.js';
import { type DocumentRow, pathOf } from './collections.js';
import { requireJson } from './require-json.js';

type Update = AnyBulkWriteOperation<DocumentRow>;

/**
 * Writes what a batch leaves of each document, unless something later has written or removed it. So a batch may be written
 * again, in part or by two at once, and the documents come out the same.
 *
 * What is put is inserted first and replaced after, never upserted: on some servers two upserts that race for one document
 * both succeed. A row is never deleted, so one that could not be inserted is there to be replaced. Views put what is new, and
 * patch it later, so an insert nearly always succeeds. What is removed is nearly always there: it is replaced first, and
 * inserted where it was not.
 *
 * What is patched is patched after that, so that readers see no time in which one document has ended and its successor has
 * not begun. `unread`: nobody reads them yet, so neither waits for the other; and what history removes was often removed
 * together with its events, so it is not there either.
 */
export async function writeDocuments(
  documents: Collection<DocumentRow>,
  batch: readonly EventOperations[],
  { unread = false }: { readonly unread?: boolean } = {},
): Promise<void> {
  const positions = new Map<string, bigint>();
  for (const { position, operations } of batch) {
    for (const operation of operations) if ('key' in operation) positions.set(operation.key, position);
  }
  const rows: DocumentRow[] = [];
  const tombstones: DocumentRow[] = [];
  const patches: Update[] = [];
  for (const [key, write] of fold(batch)) {
    const position = positions.get(key) ?? -1n; // it has one: both go by the same operations
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
  // All settled: nothing is under way when one has failed.
  const outcomes = await Promise.allSettled([inParts(rows, put), inParts(patches, patch)]);
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure) throw failure.reason;
}

/** A command that is too large takes the server's time from others, and making it takes ours. */
const mostInCommand = 2_000;

async function inParts<Item>(items: readonly Item[], write: (part: readonly Item[]) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += mostInCommand) await write(items.slice(at, at + mostInCommand));
}

/** Returns how many of them found their document. */
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
