import { z } from 'zod';
import { auditEntry } from '../../../audit/audit-entry.js';
import { changeEventTypeRequest, declareEventTypeRequest, eventTypeName } from '../../../flows/types/event-type.js';
import { jsonValue } from '../../../kernel/input/json-value.js';
import { adminRoutesOf } from '../routing/admin-route.js';
import { afterParameter, changed, limitParameter, listAnswer, positionParameter } from './fields.js';

const eventType = {
  name: z.string(),
  state: z.enum(['declared', 'retired']),
  version: z.int().positive().describe('The number of the version; each change adds 1.'),
  description: z.string(),
  schema: jsonValue.describe('JSON Schema (draft 2020-12) of the data; null: any data.'),
  example: jsonValue.describe('An example of the data; null: none.'),
  searchable: z.array(z.string()).describe('Paths of the values by which its flow events are found.'),
};

const eventTypeAnswer = z
  .strictObject(eventType)
  .meta({ id: 'EventType', description: 'A declared type of flow events.' });

const changedEventTypeAnswer = z.strictObject({ ...eventType, changed }).meta({ id: 'ChangedEventType' });

export const eventTypeExample = {
  name: 'order.paid',
  description: 'An order was paid',
  schema: { type: 'object', required: ['total'], properties: { total: { type: 'number' } } },
  example: { total: 42 },
  searchable: ['data.number'],
};

const route = adminRoutesOf('event types');
const { name, description, schema, example, searchable } = eventTypeExample;

export const listEventTypesRoute = route('listEventTypes', 'get', '/event-types', {
  summary: 'List the declared event types',
  query: { limit: limitParameter, after: afterParameter },
  answer: listAnswer(eventTypeAnswer, eventTypeExample),
  access: { role: 'viewer', organisation: 'service' },
});

export const showEventTypeRoute = route('showEventType', 'get', '/event-types/show', {
  summary: 'Show an event type',
  description: 'Also one that was retired.',
  query: { name: eventTypeName.meta({ examples: [name] }) },
  answer: { schema: eventTypeAnswer, example: eventTypeExample },
  errors: ['event_type_not_found'],
  access: { role: 'viewer', organisation: 'service' },
});

export const showEventTypeTimelineRoute = route('showEventTypeTimeline', 'get', '/event-types/timeline', {
  summary: 'List the changes of an event type',
  description: 'Its versions, the latest first, read from the events; also of one that was retired.',
  query: { name: eventTypeName.meta({ examples: [name] }), limit: limitParameter, after: positionParameter.optional() },
  answer: listAnswer(auditEntry, {
    ...{ type: 'EventTypeDeclared', eventType: name, after: { description }, stream: 'eventType-2d5f0b1e' },
    ...{ orgId: null, userId: null, hookUrl: null, clientId: null },
  }),
  errors: ['event_type_not_found'],
  access: { role: 'viewer', organisation: 'service' },
});

export const declareEventTypeRoute = route('declareEventType', 'post', '/event-types', {
  summary: 'Declare an event type',
  description: 'Declaring one that was retired continues its versions.',
  body: declareEventTypeRequest,
  bodyExample: { name: 'order.shipped', description, schema, example, searchable },
  answer: {
    status: 201,
    schema: changedEventTypeAnswer,
    example: { ...eventTypeExample, changed: ['EventTypeDeclared'] },
  },
  errors: ['event_type_exists'],
  access: { role: 'operator', organisation: 'service' },
});

export const changeEventTypeRoute = route('changeEventType', 'post', '/event-types/change', {
  summary: 'Change an event type',
  description: 'Makes its next version. Fields that are left out stay as they are.',
  body: changeEventTypeRequest,
  bodyExample: { name, description: 'An order was paid in full' },
  answer: {
    schema: changedEventTypeAnswer,
    example: { ...eventTypeExample, version: 2, changed: ['EventTypeChanged'] },
  },
  errors: ['event_type_not_found'],
  access: { role: 'operator', organisation: 'service' },
});

export const retireEventTypeRoute = route('retireEventType', 'post', '/event-types/retire', {
  summary: 'Retire an event type',
  description:
    'The type is no longer offered to platforms, and data is no longer checked against it. Flow events of the type can still be published.',
  body: { name: eventTypeName },
  bodyExample: { name },
  answer: {
    schema: changedEventTypeAnswer,
    example: { ...eventTypeExample, state: 'retired', changed: ['EventTypeRetired'] },
  },
  errors: ['event_type_not_found'],
  access: { role: 'operator', organisation: 'service' },
});

export const eventTypeContracts = route.declared;
