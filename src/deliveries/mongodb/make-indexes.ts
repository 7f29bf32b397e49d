import type { Collection, Document, IndexDescription } from 'mongodb';
import { StoreUnusable } from '../../event-store/errors.js';
import { type Collections, indexes } from './collections.js';

/** Makes those that are missing. Throws `StoreUnusable` where one of the same name, or of the same fields, is another. */
export async function makeIndexes({ targets, deliveries }: Collections): Promise<void> {
  await make(targets, indexes.targets);
  await make(deliveries, indexes.deliveries);
}

async function make<Row extends Document>(collection: Collection<Row>, wanted: readonly IndexDescription[]) {
  const differs = (options?: ErrorOptions) =>
    new StoreUnusable(`the indexes of ${collection.collectionName} are not those that the queue needs`, options);
  await collection.createIndexes([...wanted]).catch((cause: { readonly codeName?: string }) => {
    throw /^Index(OptionsConflict|KeySpecsConflict)$/.test(cause.codeName ?? '') ? differs({ cause }) : cause;
  });
  // Not every server refuses one that differs: some keep what is there.
  const found = new Map((await collection.indexes()).map(({ name, key }) => [name, JSON.stringify(key)]));
  if (wanted.some(({ name, key }) => found.get(name) !== JSON.stringify(key))) throw differs();
}
