import type { Collection, Document, Filter, IndexDescription, UpdateFilter } from 'mongodb';
import { StoreUnusable } from '../../kernel/store-errors.js';
import type { Collections, DeliveryRow } from './collections.js';
import { indexes, outdatedIndexes } from './indexes.js';

/**
 * Creates missing indexes, and drops unused ones of earlier versions. Throws `StoreUnusable` if an existing index of
 * the same name or the same fields differs.
 */
export async function makeIndexes({ hooks, messages, deliveries, waitingEvents, days }: Collections): Promise<void> {
  await make(hooks, indexes.hooks);
  await make(messages, indexes.messages);
  await make(waitingEvents, indexes.waitingEvents);
  await make(days, indexes.days);
  const others = indexes.deliveries.filter(({ name }) => name !== 'ended');
  const found = await make(deliveries, others);
  if (!found.has('ended')) await dateEnds({ deliveries });
  await make(deliveries, indexes.deliveries);
  const { unused, renamed } = outdatedIndexes.deliveries;
  if (renamed.some((name) => found.has(name))) {
    await hooks.updateMany(withField('wakes'), { $rename: { wakes: 'hintVersion', mark: 'version' } });
  }
  await renameFields(deliveries);
  for (const name of [...unused, ...renamed]) if (found.has(name)) await dropIndex(deliveries, name);
}

/** Earlier versions did not store when a delivery ended: such deliveries are kept as if they ended now. */
async function dateEnds({ deliveries }: Pick<Collections, 'deliveries'>): Promise<void> {
  const undated = { state: { $in: ['succeeded', 'exhausted', 'cancelled'] }, endedAt: { $exists: false } } as const;
  await deliveries.updateMany(undated, { $currentDate: { endedAt: true } });
}

/**
 * Renames the fields of deliveries that an earlier release has enqueued, at every start: an instance of it may have run beside
 * this release. The lease check then announces those that wait, since leasing has passed over them. Repeatable.
 */
async function renameFields(deliveries: Collections['deliveries']): Promise<void> {
  const names = { freeAt: 'leasableAt', again: 'redeliveryRequestedAt' };
  const leased = { ...withField<DeliveryRow>('freeAt'), lease: { $exists: true } };
  await deliveries.updateMany(leased, { $rename: { ...names, recheckAt: 'leaseCheckAt' } });
  await deliveries.updateMany(withField('freeAt'), {
    $rename: names,
    $unset: { recheckAt: '' },
    $currentDate: { leaseCheckAt: true },
  } as UpdateFilter<DeliveryRow>); // its type has only the present names
}

const withField = <Row extends Document>(name: string): Filter<Row> => ({ [name]: { $exists: true } }) as Filter<Row>; // as above

/** Returns all indexes that exist afterwards, by name. */
async function make<Row extends Document>(
  collection: Collection<Row>,
  wanted: readonly IndexDescription[],
): Promise<ReadonlyMap<string | undefined, string>> {
  const differs = (options?: ErrorOptions) =>
    new StoreUnusable(`the indexes of ${collection.collectionName} are not those that the queue needs`, options);
  await collection.createIndexes([...wanted]).catch((cause: { readonly codeName?: string }) => {
    throw /^Index(OptionsConflict|KeySpecsConflict)$/.test(cause.codeName ?? '') ? differs({ cause }) : cause;
  });
  // Not every server refuses an index that differs: some keep the existing one.
  const found = new Map((await collection.indexes()).map(({ name, key }) => [name, JSON.stringify(key)]));
  if (wanted.some(({ name, key }) => found.get(name) !== JSON.stringify(key))) throw differs();
  return found;
}

/** Another instance that starts at the same time may have dropped it already. */
async function dropIndex<Row extends Document>(collection: Collection<Row>, name: string): Promise<void> {
  await collection.dropIndex(name).catch((error: { readonly codeName?: string }) => {
    if (error.codeName !== 'IndexNotFound') throw error;
  });
}
