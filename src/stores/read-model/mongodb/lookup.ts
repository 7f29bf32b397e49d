import type { Collection, Filter } from 'mongodb';
import { StoreDamaged } from '../../../kernel/store-errors.js';
import type { JsonObject } from '../../event-store/event-store.js';
import type { Plan } from '../query.js';
import type { FoundDocument } from '../read-model.js';
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
  ...(range && {
    [pathOf(range.field)]: {
      ...(range.above !== undefined && { $gt: range.above }),
      ...(range.atMost !== undefined && { $lte: range.atMost }),
    },
  }),
  ...(after !== undefined && { _id: direction === 'backwards' ? { $lt: after } : { $gt: after } }),
});

export const countDocuments = (documents: Collection<DocumentRow>, plan: Plan): Promise<number> =>
  documents.countDocuments(filterOf(plan), { limit: plan.limit });

/** The server chooses the index: not every one takes a hint. */
export async function findDocuments(documents: Collection<DocumentRow>, plan: Plan): Promise<readonly FoundDocument[]> {
  const { direction, limit } = plan;
  const rows = await documents
    .find(filterOf(plan), {
      projection: { document: 1 },
      sort: { _id: direction === 'backwards' ? -1 : 1 },
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
