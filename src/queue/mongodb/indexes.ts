import type { Collection, Document, IndexDescription } from 'mongodb';
import { StoreUnusable } from '../../kernel/store-errors.js';
import type { Collections } from './collections.js';

/** All other lookups are by `_id`. */
const indexes = {
  listeners: [
    { name: 'due', key: { nextDue: 1 }, sparse: true },
    // Leasing by the instance that holds the partition.
    {
      name: 'due_of_partition',
      key: { partition: 1, nextDue: 1 },
      partialFilterExpression: { nextDue: { $exists: true } },
    },
    // Leasing, if the listeners that are due longest belong to organisations that have used up their share.
    {
      name: 'due_of_organisation',
      key: { orgId: 1, nextDue: 1 },
      partialFilterExpression: { nextDue: { $exists: true } },
    },
    { name: 'due_since', key: { dueSince: 1 }, sparse: true },
    // Listeners that are paused because they fail: few are paused, so few are in it.
    {
      name: 'failing',
      key: { 'health.failing.since': 1 },
      partialFilterExpression: { paused: true },
    },
    { name: 'breakers', key: { 'health.breaker.openUntil': 1 }, sparse: true },
  ],
  messages: [
    { name: 'in_order', key: { orgId: 1, position: 1 } },
    { name: 'by_term', key: { orgId: 1, terms: 1, position: -1 } },
    { name: 'leaving', key: { leaving: 1 }, sparse: true },
    { name: 'recorded', key: { recordedAt: 1, _id: 1 } },
  ],
  deliveries: [
    // Leasing and closing gates. Deliveries in a final state, which are the large majority, are not in it.
    {
      name: 'due_of_listener',
      key: { state: 1, listenerId: 1, dueAt: 1 },
      partialFilterExpression: { state: 'waiting' },
    },
    { name: 'unannounced', key: { unannounced: 1 }, sparse: true },
    // The log and, read backwards, the delivery order of an ordered listener.
    { name: 'log_of_organisation', key: { orgId: 1, state: 1, position: -1, _id: -1 } },
    { name: 'log_of_listener', key: { listenerId: 1, state: 1, position: -1, _id: -1 } },
    {
      name: 'log_of_replay',
      key: { replay: 1, state: 1, position: -1, _id: -1 },
      partialFilterExpression: { replay: { $exists: true } },
    },
    { name: 'ended', key: { endedAt: 1 }, sparse: true },
    {
      name: 'exhausted',
      key: { state: 1, endedAt: 1 },
      partialFilterExpression: { state: 'exhausted' },
    },
  ],
  waitingEvents: [{ name: 'in_order', key: { reader: 1, orgId: 1, position: 1 } }],
  days: [
    { name: 'by_day', key: { orgId: 1, day: 1, listenerId: 1 } },
    { name: 'day', key: { day: 1 } },
  ],
  halfHours: [{ name: 'of_organisation', key: { orgId: 1 } }],
} as const satisfies Partial<Record<keyof Collections, readonly IndexDescription[]>>;

/** Names of all indexes of a collection, also of those that an earlier version made. */
export type NamesOfIndexes = Readonly<Record<'listeners' | 'deliveries', ReadonlySet<string>>>;

/**
 * Creates missing indexes. Throws `StoreUnusable` if an existing index of the same name or the same fields differs.
 */
export async function makeIndexes({
  listeners,
  messages,
  deliveries,
  waitingEvents,
  days,
  halfHours,
}: Collections): Promise<NamesOfIndexes> {
  const ofListeners = await make(listeners, indexes.listeners);
  await make(messages, indexes.messages);
  const ofDeliveries = await make(deliveries, indexes.deliveries);
  await make(waitingEvents, indexes.waitingEvents);
  await make(days, indexes.days);
  await make(halfHours, indexes.halfHours);
  return { listeners: ofListeners, deliveries: ofDeliveries };
}

async function make<Row extends Document>(
  collection: Collection<Row>,
  declared: readonly IndexDescription[],
): Promise<ReadonlySet<string>> {
  const differs = (options?: ErrorOptions) =>
    new StoreUnusable(`the indexes of ${collection.collectionName} are not those that the queue needs`, options);
  await collection.createIndexes([...declared]).catch((cause: { codeName?: string }) => {
    throw /^Index(OptionsConflict|KeySpecsConflict)$/.test(cause.codeName ?? '') ? differs({ cause }) : cause;
  });
  // Not every server refuses an index that differs: some keep the existing one.
  const found = new Map((await collection.indexes()).map(({ name, key }) => [name, JSON.stringify(key)]));
  if (declared.some(({ name, key }) => found.get(name) !== JSON.stringify(key))) throw differs();
  return new Set([...found.keys()].filter((name) => name !== undefined));
}
