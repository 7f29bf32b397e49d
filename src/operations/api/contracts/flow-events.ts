import { z } from 'zod';
import { publishAnswer, publishRequest, timestamp } from '../../../flows/contract.js';
import { opaqueId } from '../../../kernel/input/opaque-id.js';
import { adminRoute } from '../routing/admin-route.js';
import { afterParameter, limitParameter, listOf, orgIdField } from './fields.js';

const subject = 'Flow events';
const instant = timestamp.transform((text) => Date.parse(text));
const position = z.string().regex(/^\d+$/);

const listedFlowEvent = z
  .strictObject({
    eventId: z
      .string()
      .describe('The ID that its producer and its receivers know; the one in the store if it is not known.'),
    storeEventId: z.string().describe("The flow event's UUID in the event store."),
    orgId: z.string(),
    type: z.string(),
    recordedAt: z.iso.datetime().nullable(),
    position,
  })
  .meta({ id: 'ListedFlowEvent', description: 'A flow event that the fan-out has processed.' });

const flowEvent = z
  .strictObject({
    eventId: z.string().describe('The ID that its producer and its receivers know.'),
    storeEventId: z.string().describe("The flow event's UUID in the event store."),
    orgId: z.string(),
    flowId: z.string(),
    type: z.string(),
    timestamp: z.string().describe('When it occurred, if the producer gave the time; else when it was recorded.'),
    recordedAt: z.string(),
    data: z.unknown(),
    stream: z.string(),
    revision: position,
    position,
    handedOver: z.boolean().describe('Whether the fan-out has processed it.'),
  })
  .meta({ id: 'FlowEvent', description: 'A flow event with its content.' });

const listed = {
  eventId: 'order-4711',
  storeEventId: 'f3b1c6de-0a52-5f0e-9d3c-2b7a8e9f0a1b',
  orgId: 'acme',
  type: 'flow.completed',
  recordedAt: '2026-01-31T12:00:00.000Z',
  position: '4711',
};

export const listFlowEventsRoute = adminRoute({
  method: 'get',
  path: '/flows',
  subject,
  summary: 'Search flow events',
  description:
    "An organisation's flow events that the fan-out has processed, the latest first. `type` selects as a subscription type does " +
    '(`flow.completed`, `flow.*`); `from` and `to` are about when they were recorded. A page may have fewer items than `limit`, ' +
    'and still have a next one.',
  query: {
    orgId: orgIdField,
    type: z.string().min(1).max(128).optional(),
    from: instant.optional(),
    to: instant.optional(),
    limit: limitParameter,
    after: afterParameter,
  },
  answer: { schema: listOf(listedFlowEvent), example: { items: [listed], next: null } },
  errors: [],
  access: { role: 'viewer', organisation: 'query' },
});

export const showFlowEventRoute = adminRoute({
  method: 'get',
  path: '/flows/:eventId',
  subject,
  summary: 'Show a flow event with its content',
  params: { eventId: opaqueId },
  query: { orgId: orgIdField },
  answer: {
    schema: flowEvent,
    example: {
      ...listed,
      flowId: 'order-4711',
      timestamp: '2026-01-31T12:00:00.000Z',
      recordedAt: '2026-01-31T12:00:00.000Z',
      data: { total: 42 },
      stream: 'flow-0d5b9fa6-7d54-5a24-a0c5-5b6e8c9f0a1b',
      revision: '0',
      handedOver: true,
    },
  },
  errors: ['flow_event_not_found', 'flow_event_deleted'],
  access: { role: 'viewer', organisation: 'query' },
});

export const publishFlowEventRoute = adminRoute({
  method: 'post',
  path: '/flows',
  subject,
  summary: 'Publish a flow event',
  description:
    'As `POST /api/flows`, with the limits of that: it is recorded once for each organisation and `id`; publishing it again has ' +
    'no effect.',
  body: { ...publishRequest.shape, orgId: orgIdField },
  bodyExample: { orgId: 'acme', type: 'flow.completed', id: 'order-4711', data: { total: 42 } },
  answer: { status: 202, schema: publishAnswer, example: { id: 'order-4711' } },
  errors: ['payload_too_large', 'too_many_requests'],
  access: { role: 'operator', organisation: 'body' },
});

export const flowEventContracts = [listFlowEventsRoute, showFlowEventRoute, publishFlowEventRoute];
