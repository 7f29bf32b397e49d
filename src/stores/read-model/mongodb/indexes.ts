import type { Collection } from 'mongodb';
import { StoreDamaged } from '../../../kernel/store-errors.js';
import type { Projection } from '../projection.js';
import { type DocumentRow, pathOf } from './collections.js';

const indexName = (fields: readonly string[]): string => `by_${fields.join('_')}`;

/** The key is the last field of each index: a lookup by equality returns documents in key order. */
const keyOf = (fields: readonly string[]): Record<string, 1> =>
  Object.fromEntries([...fields.map(pathOf), '_id'].map((path) => [path, 1]));

/** Throws `StoreDamaged` where an index of the same name is different. */
export async function makeIndexes(documents: Collection<DocumentRow>, { indexes }: Projection): Promise<void> {
  const wanted = indexes.map((fields) => ({ name: indexName(fields), key: keyOf(fields) }));
  await documents.createIndexes(wanted).catch((cause: { codeName?: string }) => {
    if (!/^Index(OptionsConflict|KeySpecsConflict)$/.test(cause.codeName ?? '')) throw cause;
    throw differs(documents.collectionName, documents.collectionName, { cause });
  });
  const found = new Map((await documents.indexes()).map(({ name, key }) => [name, JSON.stringify(key)]));
  const other = wanted.find(({ name, key }) => found.get(name) !== JSON.stringify(key));
  if (other) throw differs(documents.collectionName, `${documents.collectionName}.${other.name}`);
}

const differs = (build: string, what: string, options?: ErrorOptions) =>
  new StoreDamaged(build, `an index of ${what} is not as the view needs it: rebuild the view`, options);
