import { LRUCache } from 'lru-cache';
import type { EventStore, Json, JsonObject } from '../../stores/event-store/event-store.js';
import type { DocumentFinder } from '../../views/read-model.js';
import { type Payload, payloadOf } from '../flow-event.js';
import { EventTypeNotFound } from '../types/event-type.js';
import { type EventTypeSummary, findEventType, listEventTypes } from '../types/operate-event-types.js';
import { matches, namesOneType } from '../types/subscription-types.js';
import { samplePayload } from './static-samples.js';

const maxSamples = 1_000;
/** Accepted schemas are not recursive, and not nested deeper. */
const maxDepth = 100;
/** Elements of an array; `maxCopies`: of an element in nested arrays. */
const maxItems = 10;
const maxCopies = 100;

const samples = new LRUCache<string, { data: Json | undefined }>({ max: maxSamples });

/** Data that the schema accepts; undefined if none is found. */
export async function sampleOfSchema(schema: string): Promise<Json | undefined> {
  const known = samples.get(schema);
  if (known) return known.data;
  const parsed = JSON.parse(schema) as Json;
  const data = sampleValue(parsed, parsed, start);
  const sample = { data: data !== undefined && (await isAccepted(parsed, data)) ? data : undefined };
  samples.set(schema, sample);
  return sample.data;
}

async function isAccepted(schema: Json, data: Json): Promise<boolean> {
  const { compileSchema } = await import('../types/data-schema.js');
  try {
    return compileSchema(schema)(data) === undefined;
  } catch {
    return false; // a later release accepted the schema
  }
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

type Nesting = { depth: number; copies: number };

const start: Nesting = { depth: 0, copies: 1 };
const within = ({ depth, copies }: Nesting, items = 1): Nesting => ({ depth: depth + 1, copies: copies * items });

function sampleValue(schema: Json | undefined, root: Json, nesting: Nesting): Json | undefined {
  if (schema === true) return null;
  if (!isObject(schema) || nesting.depth > maxDepth || nesting.copies > maxCopies) return undefined;
  const { $ref, allOf, anyOf, oneOf, enum: values, examples } = schema;
  if (schema.const !== undefined) return schema.const;
  for (const list of [examples, values]) if (Array.isArray(list) && list.length > 0) return list[0];
  if (schema.default !== undefined) return schema.default;
  if (typeof $ref === 'string') return sampleValue(referredTo(root, $ref), root, within(nesting));
  const parts = [...(Array.isArray(allOf) ? allOf : []), firstOf(anyOf), firstOf(oneOf)]
    .filter((part) => part !== undefined)
    .map((part) => sampleValue(part, root, within(nesting)));
  const own = ownValue(schema, root, nesting);
  const all = own === undefined ? parts : [...parts, own];
  return all.length > 1 && all.every(isObject) ? Object.assign({}, ...all) : all.at(-1);
}

const firstOf = (list: Json | undefined): Json | undefined => (Array.isArray(list) ? list[0] : undefined);

function ownValue(schema: JsonObject, root: Json, nesting: Nesting): Json | undefined {
  const { properties, items, prefixItems, minItems, minLength, maxLength } = schema;
  switch (typeOf(schema)) {
    case 'object': {
      const fields = Object.entries(isObject(properties) ? properties : {});
      const values = fields.map(([name, field]) => [name, sampleValue(field, root, within(nesting))] as const);
      return Object.fromEntries(values.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
    }
    case 'array': {
      const first = Array.isArray(prefixItems)
        ? prefixItems.map((item) => sampleValue(item, root, within(nesting)) ?? null)
        : [];
      const count = Math.min(Math.max(1, Number(minItems ?? 0)), maxItems) - first.length;
      const item = items === undefined ? undefined : sampleValue(items, root, within(nesting, Math.max(1, count)));
      return item === undefined || count <= 0 ? first : [...first, ...Array.from({ length: count }, () => item)];
    }
    case 'string': {
      const text = formats.get(String(schema.format)) ?? 'text';
      return text.padEnd(Math.min(Number(minLength ?? 0), 1_000), '.').slice(0, Number(maxLength ?? 1_000));
    }
    case 'number':
    case 'integer':
      return numberIn(schema);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return undefined;
  }
}

/** The first of several types; without `type`, implied by other keywords. */
function typeOf({ type, properties, items, prefixItems }: JsonObject): Json | undefined {
  if (Array.isArray(type)) return type[0];
  if (type !== undefined) return type;
  if (properties !== undefined) return 'object';
  return items === undefined && prefixItems === undefined ? undefined : 'array';
}

function numberIn({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: JsonObject): number {
  const least = Number(minimum ?? (exclusiveMinimum === undefined ? 1 : Number(exclusiveMinimum) + 1));
  const most = Number(
    maximum ?? (exclusiveMaximum === undefined ? Number.POSITIVE_INFINITY : Number(exclusiveMaximum) - 1),
  );
  const step = Number(multipleOf ?? 1);
  return Math.min(Math.ceil(least / step) * step, most);
}

const formats = new Map([
  ['date-time', '2026-01-01T12:00:00Z'],
  ['date', '2026-01-01'],
  ['time', '12:00:00Z'],
  ['email', 'ada@example.com'],
  ['uri', 'https://example.com/'],
  ['uuid', '6f0c6b1e-7a52-4c8e-9a55-0d1f2a3b4c5d'],
]);

/** RFC 6901 pointer in a URI fragment. */
const referredTo = (root: Json, reference: string): Json | undefined =>
  reference
    .split('/')
    .slice(1)
    .map((segment) => decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<Json | undefined>((part, name) => {
      if (Array.isArray(part)) return part[Number(name)];
      return isObject(part) ? part[name] : undefined;
    }, root);

export type EventTypeSources = {
  store: EventStore;
  readModel: DocumentFinder;
};

const maxTypes = 100;

/** A type's example, else data that its schema accepts, else none. Throws `StoreUnavailable`. */
export async function declaredSamples(
  sources: EventTypeSources,
  subscriptionType: string,
): Promise<readonly Payload[]> {
  const types = await selectedTypes(sources, subscriptionType);
  const samples = await Promise.all(types.map(async (type) => ({ name: type.name, data: await dataOf(type) })));
  return samples.flatMap(({ name, data }) => (data === undefined ? [] : [payloadOf({ ...samplePayload(name), data })]));
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
