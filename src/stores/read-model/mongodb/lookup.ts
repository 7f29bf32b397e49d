import type { Collection, Filter } from 'mongodb';
import type { JsonObject } from '../../event-store/event-store.js';
import type { Plan } from '../query.js';
import type { FoundDocument } from '../read-model.js';
import { type DocumentRow, pathOf } from './collections.js';

/** Tombstones have none. */
const isThere = { document: { $exists: true } } as const;

export async function getDocument(documents: Collection<DocumentRow>, key: string): Promise<JsonObject | undefined> {
  return (await documents.findOne({ _id: key, ...isThere }))?.document;
}

/** In key order. The server chooses the index: not every one takes a hint. */
export async function findDocuments(
  documents: Collection<DocumentRow>,
  { equals, range, after, limit }: Plan,
): Promise<readonly FoundDocument[]> {
  const filter: Filter<DocumentRow> = {
    ...isThere,
    ...Object.fromEntries(equals.map(({ field, value }) => [pathOf(field), value])),
    ...(range && {
      [pathOf(range.field)]: {
        ...(range.above !== undefined && { $gt: range.above }),
        ...(range.atMost !== undefined && { $lte: range.atMost }),
      },
    }),
    ...(after !== undefined && { _id: { $gt: after } }),
  };
  const rows = await documents
    .find(filter, {
      projection: { document: 1 },
      sort: { _id: 1 },
      limit,
      batchSize: limit + 1, // one answer holds all of them
    })
    .toArray();
  return rows.map(({ _id, document = {} }) => ({ key: _id, document }));
}

const valuesAtOnce = 1_000;

/** All documents with one of these values in a field. */
export async function documentsWith(
  documents: Collection<DocumentRow>,
  field: string,
  values: readonly string[],
): Promise<readonly FoundDocument[]> {
  const found: FoundDocument[] = [];
  for (let at = 0; at < values.length; at += valuesAtOnce) {
    const filter = { ...isThere, [pathOf(field)]: { $in: values.slice(at, at + valuesAtOnce) } };
    const rows = documents.find(filter as Filter<DocumentRow>, { projection: { document: 1 } }); // a field of the document
    for await (const { _id, document = {} } of rows) found.push({ key: _id, document });
  }
  return found;
}
