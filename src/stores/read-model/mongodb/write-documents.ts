import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import type { JsonObject } from '../../event-store/event-store.js';
import { insertNew } from '../../mongodb/insert-new.js';
import { fold, type Write } from '../fold.js';
import type { EventOperations } from '../read-model.js';
import { type DocumentRow, pathOf } from './collections.js';
import { requireJson } from './require-json.js';

type Update = AnyBulkWriteOperation<DocumentRow>;

/**
 * Unless a later position has written a document, so that a batch may be repeated, in part or by two writers. A put is
 * an insert, then a replacement: on some servers two concurrent upserts both succeed. Patches follow puts, so that an
 * ended document always has its successor; `unread`: no reader needs that.
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
