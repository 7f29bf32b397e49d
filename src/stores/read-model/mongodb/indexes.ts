import type { Collection } from 'mongodb';
import { StoreUnusable } from '../../../kernel/store-errors.js';
import type { Projection } from '../projection.js';
import { type DocumentRow, pathOf } from './collections.js';

const indexName = (fields: readonly string[]): string => `by_${fields.join('_')}`;

/** In each index the key comes last: a lookup by equality finds its documents in the order of the keys. */
const keyOf = (fields: readonly string[]): Record<string, 1> =>
  Object.fromEntries([...fields.map(pathOf), '_id'].map((path) => [path, 1]));

/** Makes those that are missing. Throws `StoreUnusable` where one of the same name is another. */
export async function makeIndexes(documents: Collection<DocumentRow>, { indexes }: Projection): Promise<void> {
  const wanted = indexes.map((fields) => ({ name: indexName(fields), key: keyOf(fields) }));
  await documents.createIndexes(wanted).catch((cause: { codeName?: string }) => {
    if (!/^Index(OptionsConflict|KeySpecsConflict)$/.test(cause.codeName ?? '')) throw cause;
    throw differs(documents.collectionName, { cause });
  });
  const found = new Map((await documents.indexes()).map(({ name, key }) => [name, JSON.stringify(key)]));
  const other = wanted.find(({ name, key }) => found.get(name) !== JSON.stringify(key));
  if (other) throw differs(`${documents.collectionName}.${other.name}`);
}

const differs = (what: string, options?: ErrorOptions) =>
  new StoreUnusable(`an index of ${what} is not as the view needs it: rebuild the view`, options);
