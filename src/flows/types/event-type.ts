import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { type EventTypeDefinition, type EventTypeEvent, eventTypeCodec } from '../../events/event-type-events.js';
import { DomainError } from '../../kernel/domain-error.js';
import { jsonValue } from '../../kernel/input/json-value.js';
import { textForPeople } from '../../kernel/input/texts.js';
import { uuidV5 } from '../../kernel/uuid.js';
import type { Decider } from '../../stores/event-store/handle.js';

export type { EventTypeDefinition, EventTypeEvent };

export type EventType = { state: 'none' } | { state: 'declared' | 'retired'; definition: EventTypeDefinition };

export class EventTypeNotFound extends DomainError {
  readonly code = 'event_type_not_found';

  constructor(name: string) {
    super(`no event type '${name}' is declared`);
  }
}

export class EventTypeExists extends DomainError {
  readonly code = 'event_type_exists';

  constructor(name: string) {
    super(`the event type '${name}' is declared already`);
  }
}

export const eventTypeDecider: Decider<EventType, EventTypeEvent> = {
  codec: eventTypeCodec,
  initialState: () => ({ state: 'none' }),
  evolve: (_, { type, data }) => ({ state: type === 'EventTypeRetired' ? 'retired' : 'declared', definition: data }),
};

/** Permanent: stream names are derived with it. */
const streamId = uuidV5('5b0c6a8e-4a55-4d0f-9d2c-3f6c1d9f7a42');

export const eventTypeStream = (name: string): string => `eventType-${streamId(name)}`;

type DeclareEventType = Omit<EventTypeDefinition, 'version'>;

/** Continues the versions of a retired type. Throws `EventTypeExists`. */
export function declareEventType(command: DeclareEventType, eventType: EventType): EventTypeEvent[] {
  if (eventType.state === 'declared') throw new EventTypeExists(command.name);
  const version = eventType.state === 'none' ? 1 : eventType.definition.version + 1;
  return [{ type: 'EventTypeDeclared', data: { ...command, version } }];
}

/** Undefined fields stay unchanged. */
type ChangeEventType = { name: string } & {
  readonly [Field in 'description' | 'schema' | 'example' | 'searchable']?: DeclareEventType[Field] | undefined;
};

/** Makes a version if something changes. Throws `EventTypeNotFound`. */
export function changeEventType(command: ChangeEventType, eventType: EventType): EventTypeEvent[] {
  if (eventType.state !== 'declared') throw new EventTypeNotFound(command.name);
  const { definition } = eventType;
  const changed = {
    ...definition,
    description: command.description ?? definition.description,
    schema: command.schema === undefined ? definition.schema : command.schema,
    example: command.example === undefined ? definition.example : command.example,
    searchable: command.searchable ?? definition.searchable,
  };
  if (isDeepStrictEqual(changed, definition)) return [];
  return [{ type: 'EventTypeChanged', data: { ...changed, version: definition.version + 1 } }];
}

/** A repeat changes nothing. Throws `EventTypeNotFound`. */
export function retireEventType({ name }: { name: string }, eventType: EventType): EventTypeEvent[] {
  if (eventType.state === 'none') throw new EventTypeNotFound(name);
  return eventType.state === 'retired' ? [] : [{ type: 'EventTypeRetired', data: eventType.definition }];
}

// `*` is for subscriptions; `$` marks the stores' own events.
export const eventTypeName = z
  .string({ error: 'must be a string' })
  .regex(/^[A-Za-z0-9._:/-]{1,128}$/, { error: 'must be 1 to 128 letters, digits or . _ : / -' });

const description = textForPeople(500);
const schema = jsonValue.describe('JSON Schema, draft 2020-12, of the data; null: any data.');
const example = jsonValue.describe('An example of the data, which the schema accepts; null: none.');
/** Each is another entry of the index for each event. */
const maxSearchablePaths = 10;
const searchable = z
  .array(z.string())
  .max(maxSearchablePaths)
  .describe(
    'Paths of values, such as `data.order.number`, by which flow events of this type are found, besides their ID and ' +
      `flowId: at most ${maxSearchablePaths}. A change applies to events that are published at least a second later.`,
  );

export const declareEventTypeRequest = {
  name: eventTypeName,
  description,
  schema: schema.optional(),
  example: example.optional(),
  searchable: searchable.optional(),
};

/** Undefined fields stay unchanged. */
export const changeEventTypeRequest = {
  name: eventTypeName,
  description: description.optional(),
  schema: schema.optional(),
  example: example.optional(),
  searchable: searchable.optional(),
};
