import type { EventStore, Json } from '../../stores/event-store/event-store.js';
import type { ReadModel } from '../../stores/read-model/read-model.js';
import { matches, namesOneType } from '../subscription-types.js';
import { sampleEvent, type Trigger, triggerOf } from '../triggers.js';
import { EventTypeNotFound } from '../types/event-type.js';
import { type EventTypeSummary, findEventType, listEventTypes } from '../types/operate-event-types.js';
import { sampleOfSchema } from './sample-of-schema.js';

export type EventTypeSources = {
  readonly store: EventStore;
  readonly readModel: Pick<ReadModel, 'find'>;
};

/** Maximum number of types of which samples are made. */
const maxTypes = 100;

/**
 * Samples of the declared event types that a subscription type selects: each with the type's example, else with data that its schema
 * accepts. A type without both has none. Throws `StoreUnavailable`.
 */
export async function declaredSamples(
  sources: EventTypeSources,
  subscriptionType: string,
): Promise<readonly Trigger[]> {
  const types = await selectedTypes(sources, subscriptionType);
  const samples = await Promise.all(types.map(async (type) => ({ name: type.name, data: await dataOf(type) })));
  return samples.flatMap(({ name, data }) => (data === undefined ? [] : [triggerOf({ ...sampleEvent(name), data })]));
}

async function selectedTypes(
  { store, readModel }: EventTypeSources,
  subscriptionType: string,
): Promise<readonly EventTypeSummary[]> {
  if (!namesOneType(subscriptionType)) {
    const { items } = await listEventTypes(readModel, { limit: maxTypes });
    return items.filter(({ name }) => matches(subscriptionType, name));
  }
  try {
    const type = await findEventType(store, subscriptionType);
    return type.state === 'declared' ? [type] : [];
  } catch (error) {
    if (error instanceof EventTypeNotFound) return [];
    throw error;
  }
}

async function dataOf({ example, schema }: EventTypeSummary): Promise<Json | undefined> {
  if (example !== null) return example;
  return schema === null ? undefined : sampleOfSchema(JSON.stringify(schema));
}
