import type { Collection, Document, IndexDescription } from 'mongodb';
import { StoreUnusable } from '../../kernel/store-errors.js';
import type { Collections } from './collections.js';
import { indexes } from './indexes.js';

/**
 * Creates missing indexes. Throws `StoreUnusable` if an existing index of the same name or the same fields differs.
 */
export async function makeIndexes({
  listeners,
  messages,
  deliveries,
  waitingEvents,
  days,
}: Collections): Promise<void> {
  await make(listeners, indexes.listeners);
  await make(messages, indexes.messages);
  await make(deliveries, indexes.deliveries);
  await make(waitingEvents, indexes.waitingEvents);
  await make(days, indexes.days);
}

async function make<Row extends Document>(
  collection: Collection<Row>,
  wanted: readonly IndexDescription[],
): Promise<void> {
  const differs = (options?: ErrorOptions) =>
    new StoreUnusable(`the indexes of ${collection.collectionName} are not those that the queue needs`, options);
  await collection.createIndexes([...wanted]).catch((cause: { readonly codeName?: string }) => {
    throw /^Index(OptionsConflict|KeySpecsConflict)$/.test(cause.codeName ?? '') ? differs({ cause }) : cause;
  });
  // Not every server refuses an index that differs: some keep the existing one.
  const found = new Map((await collection.indexes()).map(({ name, key }) => [name, JSON.stringify(key)]));
  if (wanted.some(({ name, key }) => found.get(name) !== JSON.stringify(key))) throw differs();
}
