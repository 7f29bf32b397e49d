import { type EventTypeEntry, eventTypes } from '../../../projections/event-types.js';
import { InvalidRequest } from '../../kernel/domain-error.js';
import { parseJson } from '../../kernel/input/exact-json.js';
import { isNestedWithin, maxNesting } from '../../kernel/input/nesting.js';
import { pathOf } from '../../listeners/filters/filter-position.js';
import type { Cause } from '../../stores/event-store/codec.js';
import type { EventStore, Json } from '../../stores/event-store/event-store.js';
import { handle, load } from '../../stores/event-store/handle.js';
import { findPage } from '../../views/find-page.js';
import type { DocumentFinder } from '../../views/read-model.js';
import type * as DataSchema from './data-schema.js';
import {
  changeEventType,
  declareEventType,
  type EventType,
  type EventTypeDefinition,
  type EventTypeEvent,
  EventTypeNotFound,
  eventTypeDecider,
  eventTypeStream,
  retireEventType,
} from './event-type.js';

/** Undefined fields: none in a declaration, unchanged in a change. */
export type OperateEventType = { name: string } & (
  | {
      change: 'declare';
      description: string;
      schema?: Json;
      example?: Json;
      searchable?: readonly string[];
    }
  | {
      change: 'change';
      description?: string;
      schema?: Json;
      example?: Json;
      searchable?: readonly string[];
    }
  | { change: 'retire' }
);

type OperatedEventType = EventTypeSummary & { changed: readonly EventTypeEvent['type'][] };

/** Limit of the example as JSON; it is shown in lists. */
const maxExampleBytes = 16_384;

/**
 * Throws `EventTypeExists`, `EventTypeNotFound`, the errors of `handle`, and `InvalidRequest` for an invalid schema or
 * an example that it does not accept.
 */
export async function operateEventType(
  store: EventStore,
  command: OperateEventType,
  context: { cause: Cause; now: Date },
): Promise<OperatedEventType> {
  const { name } = command;
  const decide = await decisionOf(command);
  const { state, events } = await handle(store, eventTypeStream(name), eventTypeDecider, decide, context);
  return { ...summaryOf(name, state), changed: events.map(({ type }) => type) };
}

async function decisionOf(command: OperateEventType): Promise<(eventType: EventType) => EventTypeEvent[]> {
  if (command.change === 'retire') return (eventType) => retireEventType(command, eventType);
  const { name, description } = command;
  const { searchable } = command;
  for (const path of searchable ?? []) pathOf(path, { place: 'searchable', depth: 0, roots: ['data'] });
  for (const field of ['schema', 'example'] as const)
    if (!isNestedWithin(maxNesting, command[field]))
      throw new InvalidRequest(`${field}: must be nested at most ${maxNesting} levels deep`);
  const [schema, example] = [textOf(command.schema), textOf(command.example)];
  if (example && Buffer.byteLength(example) > maxExampleBytes) {
    throw new InvalidRequest(`example: must have at most ${maxExampleBytes} bytes as JSON`);
  }
  const { compileSchema } = await import('./data-schema.js');
  return (eventType) => {
    const events =
      command.change === 'declare'
        ? declareEventType(
            {
              name,
              description: command.description,
              schema: schema ?? null,
              example: example ?? null,
              searchable: [...(searchable ?? [])],
            },
            eventType,
          )
        : changeEventType({ name, description, schema, example, searchable: searchable && [...searchable] }, eventType);
    for (const { data } of events) requireConsistent(data, compileSchema);
    return events;
  };
}

/** Null removes it. */
const textOf = (value: Json | undefined): string | null | undefined =>
  value === undefined || value === null ? value : JSON.stringify(value);

function requireConsistent(
  { schema, example }: EventTypeDefinition,
  compileSchema: typeof DataSchema.compileSchema,
): void {
  if (schema === null) return;
  const check = compileSchema(JSON.parse(schema));
  const wrong = example === null ? undefined : check(JSON.parse(example));
  if (wrong !== undefined) throw new InvalidRequest(`example: the schema does not accept it: ${wrong}`);
}

export const parsedJson = (text: string | null): Json => (text === null ? null : (parseJson(text) as Json));

export type EventTypeSummary = {
  name: string;
  state: 'declared' | 'retired';
  version: number;
  description: string;
  schema: Json;
  example: Json;
  searchable: readonly string[];
};

type Shown = EventTypeDefinition & Pick<EventTypeSummary, 'state'>;

const summary = ({ name, state, version, description, schema, example, searchable }: Shown): EventTypeSummary => ({
  name,
  state,
  version,
  description,
  schema: parsedJson(schema),
  example: parsedJson(example),
  searchable,
});

function summaryOf(name: string, eventType: EventType): EventTypeSummary {
  if (eventType.state === 'none') throw new EventTypeNotFound(name);
  return summary({ ...eventType.definition, state: eventType.state });
}

/** Throws `EventTypeNotFound`. */
export const findEventType = async (store: EventStore, name: string): Promise<EventTypeSummary> =>
  summaryOf(name, (await load(store, eventTypeStream(name), eventTypeDecider)).state);

/** `limit`: 1 to 1,000; `next`: the `after` of the next page. */
export async function listEventTypes(
  readModel: DocumentFinder,
  { after, limit = 100 }: { after?: string; limit?: number } = {},
): Promise<{ items: readonly EventTypeSummary[]; next: string | null }> {
  const where = { state: 'declared' };
  const { items, next } = await findPage<EventTypeEntry>(readModel, eventTypes, { where, limit, after });
  return { items: items.map(summary), next: next ?? null };
}
