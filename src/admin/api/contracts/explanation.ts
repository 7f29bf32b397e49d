import { z } from 'zod';
import { jsonValue } from '../../../kernel/input/json-value.js';
import { listenerIdParameter, opaqueId } from '../../../kernel/input/texts.js';
import { adminRoutesOf } from '../routing/admin-route.js';
import { attemptAnswer, waitsForAnswer } from './delivery.js';
import { exampleIds, orgIdField, positionText, timeOrNull } from './fields.js';

const moment = z
  .strictObject({ at: z.string(), by: z.string().nullable(), reason: z.string().nullable() })
  .meta({ id: 'Moment', description: 'The time, the actor and the reason of a change of a listener.' });

const deliveryOutcomes = ['delivered', 'waiting', 'held', 'refused', 'dead-letter', 'cancelled'] as const;

const explainedDelivery = z
  .strictObject({
    id: z.uuid(),
    replay: z.string().nullable(),
    outcome: z.enum(deliveryOutcomes),
    because: z.string().describe('A sentence for people.'),
    waitsFor: waitsForAnswer.nullable(),
    until: timeOrNull,
    attempts: z.array(attemptAnswer),
  })
  .meta({ id: 'ExplainedDelivery' });

const explainedListener = z
  .strictObject({
    listenerId: z.uuid(),
    hookUrl: z.string().describe('Masked, unless the request names the listener by its URL.'),
    outcome: z.enum([
      ...deliveryOutcomes,
      'not-subscribed',
      'type-mismatch',
      'filter-mismatch',
      'not-handed-over',
      'purged',
    ]),
    because: z.string().describe('A sentence for people.'),
    details: z
      .strictObject({
        state: z.enum(['not-yet', 'active', 'paused', 'removed']),
        subscriptionType: z.string().nullable(),
        filter: z.record(z.string(), jsonValue).nullable(),
        subscribed: moment.nullable(),
        paused: moment.nullable(),
        removed: moment.nullable(),
      })
      .describe('The listener when the flow event was recorded.'),
    deliveries: z.array(explainedDelivery),
  })
  .meta({ id: 'ExplainedListener', description: 'The outcome of a flow event for one listener, with its reason.' });

const explanationAnswer = z
  .strictObject({
    event: z.strictObject({
      eventId: z
        .string()
        .describe('The ID that its producer and its listeners know; if it was deleted, the one in the store.'),
      storeEventId: z.string().describe("The flow event's UUID in the event store."),
      orgId: z.string(),
      type: z.string(),
      position: positionText,
    }),
    items: z.array(explainedListener),
    next: z.string().nullable(),
  })
  .meta({ id: 'Explanation' });

const route = adminRoutesOf('flow events');

export const explainFlowEventRoute = route('explainFlowEvent', 'post', '/flows/:eventId/explain', {
  summary: 'Explain the deliveries of a flow event',
  description:
    'The outcome for each listener of an organisation, with its reason. It changes nothing; it is a POST because the hook URL is a ' +
    'capability and must not appear in access logs.',
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
  answer: {
    schema: explanationAnswer,
    example: { items: [{ hookUrl: 'https://hooks.example.com/…', details: { state: 'active', subscribed: {} } }] },
  },
  errors: ['not_found', 'flow_event_not_found', 'too_many_requests'],
  access: { role: 'viewer', scope: 'flows:read', organisation: 'body' },
});
