import { z } from 'zod';
import { instant } from '../../../deliveries/queries/contract.js';
import { publishAnswer, publishRequest } from '../../../flows/contract.js';
import { opaqueId } from '../../../kernel/input/opaque-id.js';
import { listenerIdParameter } from '../../../kernel/input/uuid-parameter.js';
import { explanationAnswer, explanationExample } from '../answers/explanation.js';
import {
  flowEventAnswer,
  flowEventExample,
  listedFlowEventAnswer,
  listedFlowEventExample,
} from '../answers/flow-event.js';
import { exampleIds } from '../answers/values.js';
import { adminRoute } from '../routing/admin-route.js';
import { afterParameter, limitParameter, listOf, orgIdField } from './fields.js';

const subject = 'flow events';

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
  answer: { schema: listOf(listedFlowEventAnswer), example: { items: [listedFlowEventExample], next: null } },
  errors: [],
  access: { role: 'viewer', scope: 'flows:read', organisation: 'query' },
});

export const showFlowEventRoute = adminRoute({
  method: 'get',
  path: '/flows/:eventId',
  subject,
  summary: 'Show a flow event with its content',
  params: { eventId: opaqueId },
  query: { orgId: orgIdField },
  answer: { schema: flowEventAnswer, example: flowEventExample },
  errors: ['flow_event_not_found', 'flow_event_deleted'],
  access: { role: 'viewer', scope: 'flows:read', organisation: 'query' },
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
  errors: ['payload_too_large', 'too_many_requests', 'event_type_mismatch'],
  access: { role: 'operator', organisation: 'body' },
});

export const explainFlowEventRoute = adminRoute({
  method: 'post',
  path: '/flows/:eventId/explain',
  subject,
  summary: 'Explain the deliveries of a flow event',
  description:
    'For each listener of an organisation: whether it got the flow event, and why. It changes nothing; it is a POST because the ' +
    'hook URL is a capability and must not appear in access logs.',
  params: {
    eventId: opaqueId.meta({
      description: 'The ID with which the flow event was published, or its UUID in the event store.',
      examples: [exampleIds.eventId],
    }),
  },
  body: {
    orgId: orgIdField,
    listenerId: listenerIdParameter.optional(),
    hookUrl: z.string().optional(),
    limit: z.int().min(1).max(1_000).default(100),
    after: z.string().optional(),
  },
  bodyExample: { orgId: exampleIds.orgId },
  answer: { schema: explanationAnswer, example: explanationExample },
  errors: ['not_found', 'flow_event_not_found', 'too_many_requests'],
  access: { role: 'viewer', scope: 'flows:read', organisation: 'body' },
});

export const flowEventContracts = [
  listFlowEventsRoute,
  showFlowEventRoute,
  publishFlowEventRoute,
  explainFlowEventRoute,
];
