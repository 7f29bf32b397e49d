import { changeEventTypeRequest, declareEventTypeRequest, eventTypeName } from '../../../flows/types/contract.js';
import { auditEntryAnswer, auditEntryExample } from '../answers/audit.js';
import { changedEventTypeAnswer, eventTypeAnswer, eventTypeExample } from '../answers/event-type.js';
import { adminRoute } from '../routing/admin-route.js';
import { afterParameter, limitParameter, listOf, positionParameter } from './fields.js';

const subject = 'event types';
const { name, description, schema, example } = eventTypeExample;

const { name: _, ...declared } = eventTypeExample;
const declaredEntry = {
  ...auditEntryExample,
  ...{ type: 'EventTypeDeclared', orgId: null, userId: null, listenerId: null, hookUrl: null, eventType: name },
  ...{ before: null, after: declared, reason: null, stream: 'eventType-2d5f0b1e', revision: '0' },
};

export const listEventTypesRoute = adminRoute({
  method: 'get',
  path: '/event-types',
  subject,
  summary: 'List the declared event types',
  query: { limit: limitParameter, after: afterParameter },
  answer: { schema: listOf(eventTypeAnswer), example: { items: [eventTypeExample], next: null } },
  errors: [],
  access: { role: 'viewer', organisation: 'service' },
});

export const showEventTypeRoute = adminRoute({
  method: 'get',
  path: '/event-types/show',
  subject,
  summary: 'Show an event type',
  description: 'Also one that was retired.',
  query: { name: eventTypeName.meta({ examples: [name] }) },
  answer: { schema: eventTypeAnswer, example: eventTypeExample },
  errors: ['event_type_not_found'],
  access: { role: 'viewer', organisation: 'service' },
});

export const showEventTypeTimelineRoute = adminRoute({
  method: 'get',
  path: '/event-types/timeline',
  subject,
  summary: 'List the changes of an event type',
  description: 'Its versions, the latest first, read from the events; also of one that was retired.',
  query: { name: eventTypeName.meta({ examples: [name] }), limit: limitParameter, after: positionParameter.optional() },
  answer: { schema: listOf(auditEntryAnswer), example: { items: [declaredEntry], next: null } },
  errors: ['event_type_not_found'],
  access: { role: 'viewer', organisation: 'service' },
});

export const declareEventTypeRoute = adminRoute({
  method: 'post',
  path: '/event-types',
  subject,
  summary: 'Declare an event type',
  description: 'Declaring one that was retired continues its versions.',
  body: declareEventTypeRequest,
  bodyExample: { name: 'order.shipped', description, schema, example },
  answer: {
    status: 201,
    schema: changedEventTypeAnswer,
    example: { ...eventTypeExample, changed: ['EventTypeDeclared'] },
  },
  errors: ['event_type_exists'],
  access: { role: 'operator', organisation: 'service' },
});

export const changeEventTypeRoute = adminRoute({
  method: 'post',
  path: '/event-types/change',
  subject,
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

export const retireEventTypeRoute = adminRoute({
  method: 'post',
  path: '/event-types/retire',
  subject,
  summary: 'Retire an event type',
  description: 'It is offered and checked no more. Flow events of the type can still be published.',
  body: { name: eventTypeName },
  bodyExample: { name },
  answer: {
    schema: changedEventTypeAnswer,
    example: { ...eventTypeExample, state: 'retired', changed: ['EventTypeRetired'] },
  },
  errors: ['event_type_not_found'],
  access: { role: 'operator', organisation: 'service' },
});

export const eventTypeContracts = [
  listEventTypesRoute,
  showEventTypeRoute,
  showEventTypeTimelineRoute,
  declareEventTypeRoute,
  changeEventTypeRoute,
  retireEventTypeRoute,
];
