import { z } from 'zod';
import { instant } from '../../../deliveries/queries/contract.js';
import { publishAnswer, publishRequest } from '../../../flows/contract.js';
import { jsonValue } from '../../../kernel/input/json-value.js';
import { opaqueId } from '../../../kernel/input/texts.js';
import { adminRoutesOf } from '../routing/admin-route.js';
import { explainFlowEventRoute } from './explanation.js';
import { afterParameter, limitParameter, listAnswer, orgIdField, positionText } from './fields.js';

const listedFlowEventAnswer = z
  .strictObject({
    eventId: z.string().describe('The ID that its producer and its listeners know; if unknown, the one in the store.'),
    storeEventId: z.string().describe("The flow event's UUID in the event store."),
    orgId: z.string(),
    type: z.string(),
    recordedAt: z.iso.datetime().nullable(),
    position: positionText,
  })
  .meta({ id: 'ListedFlowEvent', description: 'A flow event that the fan-out has processed.' });

const flowEventAnswer = z
  .strictObject({
    eventId: z.string().describe('The ID that its producer and its listeners know.'),
    storeEventId: z.string().describe("The flow event's UUID in the event store."),
    orgId: z.string(),
    flowId: z.string(),
    type: z.string(),
    timestamp: z
      .string()
      .describe('Time at which it occurred, if the producer gave one; else at which it was recorded.'),
    recordedAt: z.string(),
    data: z.unknown(),
    stream: z.string(),
    revision: positionText,
    position: positionText,
    handedOver: z.boolean().describe('The fan-out has processed it.'),
    publishedBy: z
      .string()
      .nullable()
      .describe('`api-key:<ID>`, `user:42`, `admin:ops`; null where a producer appended it without an actor.'),
    publisherName: z.string().nullable().describe('The name of the API key that published it; null for others.'),
    cloudEvent: z
      .record(z.string(), jsonValue)
      .nullable()
      .describe('Attributes of the CloudEvent as which it was published, such as `source`; they are not delivered.'),
  })
  .meta({ id: 'FlowEvent', description: 'A flow event with its content.' });

const publishedAnswer = publishAnswer
  .extend({
    warnings: z
      .array(z.string())
      .describe('Its size, the difference between its data and its declared type, and an earlier event with its id.'),
  })
  .meta({ id: 'PublishedByOperator' });

const route = adminRoutesOf('flow events');

export const listFlowEventsRoute = route('listFlowEvents', 'get', '/flows', {
  summary: 'Search flow events',
  description:
    "An organisation's flow events that the fan-out has processed, the latest first. `type` selects as a subscription type does " +
    '(`flow.completed`, `flow.*`); `from` and `to` limit the time of recording. A page may have fewer items than `limit`, ' +
    'and still have a next one.',
  query: {
    orgId: orgIdField,
    type: z.string().min(1).max(128).optional(),
    find: opaqueId
      .optional()
      .describe(
        'The ID or flowId of a flow event, or a value that its event type declares searchable. Where no event has it, events with a value ' +
          'that begins with it: at most `limit`, without a next page.',
      ),
    from: instant.optional(),
    to: instant.optional(),
    limit: limitParameter,
    after: afterParameter,
  },
  answer: listAnswer(listedFlowEventAnswer),
  access: { role: 'viewer', scope: 'flows:read', organisation: 'query' },
});

export const showFlowEventRoute = route('showFlowEvent', 'get', '/flows/:eventId', {
  summary: 'Show a flow event with its content',
  params: { eventId: opaqueId },
  query: { orgId: orgIdField },
  answer: { schema: flowEventAnswer, example: { stream: 'flow-0d5b9fa6-7d54-5a24-a0c5-5b6e8c9f0a1b' } },
  errors: ['flow_event_not_found', 'flow_event_deleted'],
  access: { role: 'viewer', scope: 'flows:read', organisation: 'query' },
});

export const publishFlowEventRoute = route('publishFlowEventAsOperator', 'post', '/flows', {
  summary: 'Publish a flow event',
  description:
    'Works as `POST /api/flows`, with its limits: it is recorded once for each organisation and `id`; publishing it again has ' +
    'no effect.',
  body: { ...publishRequest.shape, orgId: orgIdField },
  bodyExample: { orgId: 'acme', type: 'flow.completed', id: 'order-4711', data: { total: 42 } },
  answer: { status: 202, schema: publishedAnswer, example: { id: 'order-4711', warnings: [] } },
  errors: ['payload_too_large', 'too_many_requests', 'event_type_mismatch'],
  access: { role: 'operator', action: 'publish', organisation: 'body' },
});

export const flowEventContracts = [...route.declared, explainFlowEventRoute];
