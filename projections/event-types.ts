import { type EventTypeDefinition, eventTypeEvents } from '../src/events/event-type-events.js';
import { projection, put, remove } from '../src/views/projection.js';

export type EventTypeEntry = EventTypeDefinition & {
  state: 'declared' | 'retired';
  /** ISO 8601; declaration of the latest version, or retirement. */
  since: string;
};

type Happened = { stream: string; data: EventTypeDefinition; recordedAt: string };

function entry(
  { data: { name, version, description, schema, example, searchable }, recordedAt }: Happened,
  state: EventTypeEntry['state'],
) {
  const document: EventTypeEntry = {
    name,
    version,
    description,
    schema,
    example,
    searchable,
    state,
    since: recordedAt,
  };
  return put(name, document);
}

export const eventTypes = projection({
  name: 'event-types',
  version: 1,
  category: 'eventType',
  indexes: [['state']],
  events: eventTypeEvents,
  forget: ({ streams }) => streams.map(remove),
  on: {
    EventTypeDeclared: (event) => entry(event, 'declared'),
    EventTypeChanged: (event) => entry(event, 'declared'),
    EventTypeRetired: (event) => entry(event, 'retired'),
  },
});
