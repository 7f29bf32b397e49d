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
 * both succeed. A row is never deleted, so one that could not be inserted is there to be replaced.
 *
 * What is patched is patched after that, so that readers see no time in which one document has ended and its successor has
 * not begun. `unread`: nobody reads them yet, so neither waits for the other.
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
  const patches: Update[] = [];
  for (const [key, write] of fold(batch)) {
    const position = positions.get(key) ?? -1n; // it has one: both go by the same operations
    if (write.kind === 'patch') patches.push(patched(key, position, write.fields));
    else rows.push(rowOf(key, position, write));
  }
  const put = async (part: readonly DocumentRow[]) =>
    update(documents, (await insertNew(documents, part)).map(replaced));
  const patch = (part: readonly Update[]) => update(documents, part);
  if (!unread) {
    await inParts(rows, put);
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

async function update(documents: Collection<DocumentRow>, updates: readonly Update[]): Promise<void> {
  if (updates.length > 0) await documents.bulkWrite(updates, { ordered: false });
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
