import { z } from 'zod';
import {
  deliveryFilter,
  deliveryState,
  redeliveredStates,
  statsRequest,
} from '../../../deliveries/queries/contract.js';
import { canonicalUuid } from '../../../kernel/input/texts.js';
import { adminRoutesOf } from '../routing/admin-route.js';
import {
  deliveryAnswer,
  deliveryCountsAnswer,
  deliveryStatsAnswer,
  deliveryWithLogAnswer,
  redeliveredAnswer,
} from './delivery.js';
import { exampleIds, exampleTimes, limitParameter, listAnswer, orgIdField } from './fields.js';

const route = adminRoutesOf('deliveries');
const id = z.string().max(256).transform(canonicalUuid).meta({ description: 'The ID of a delivery.' });
const redeliveredAtOnce = 1_000;

const lastAttempt = z
  .enum(['last-attempt'])
  .optional()
  .describe('`last-attempt`: one page of the latest thousand that match, the latest attempt first.');
const counted = z
  .enum(['true'])
  .optional()
  .describe(
    '`true`: the first page also has the number of matching deliveries (`total`), which a list with `order` always has.',
  );
const total = z.strictObject({ count: z.int(), isAll: z.boolean().describe('False: there may be more.') }).meta({
  id: 'DeliveryCount',
  description: 'Up to a thousand; a filter that matches rarely counts those among the latest 5,000.',
});
const example = { id: exampleIds.deliveryId, webhookId: exampleIds.deliveryId, state: 'succeeded' } as const;
const list = listAnswer(deliveryAnswer, example);

export const listDeliveriesRoute = route('listDeliveries', 'get', '/deliveries', {
  summary: 'List deliveries',
  description:
    "An organisation's deliveries, those of the latest flow events first. A page may have fewer items than `limit`, and still " +
    'have a next one. In a list with `from`, the deliveries of replays come last.',
  query: {
    orgId: orgIdField,
    ...deliveryFilter,
    state: deliveryState.optional(),
    limit: limitParameter,
    order: lastAttempt,
    counted,
  },
  answer: { ...list, schema: list.schema.extend({ total: total.optional() }) },
  access: { role: 'viewer', scope: 'deliveries:read', organisation: 'query' },
});

export const countDeliveriesRoute = route('countDeliveries', 'get', '/deliveries/status', {
  summary: 'Count deliveries by state',
  description: 'Counts of all organisations together.',
  answer: { schema: deliveryCountsAnswer },
  access: { role: 'viewer', organisation: 'service' },
});

export const showDeliveryRoute = route('showDelivery', 'get', '/deliveries/:id', {
  summary: 'Show a delivery with its attempts',
  params: { id },
  query: { orgId: orgIdField },
  answer: { schema: deliveryWithLogAnswer, example },
  errors: ['delivery_not_found'],
  access: { role: 'viewer', scope: 'deliveries:read', organisation: 'query' },
});

export const redeliverDeliveriesRoute = route('redeliverDeliveries', 'post', '/deliveries/redeliver', {
  summary: 'Redeliver several deliveries',
  description:
    'Makes deliveries due now. They are selected by `ids`, or by a filter, which selects dead letters if it names no `states`; ' +
    'one request takes one page. Deliveries whose listeners are paused or removed stay as they are.',
  body: {
    orgId: orgIdField,
    ids: z.array(id).min(1).max(redeliveredAtOnce).optional(),
    ...deliveryFilter,
    states: redeliveredStates,
    limit: z.int().min(1).max(redeliveredAtOnce).default(100),
  },
  bodyExample: { orgId: exampleIds.orgId, listenerId: exampleIds.listenerId, from: exampleTimes.at },
  answer: { schema: redeliveredAnswer, example: { redelivered: 17, leftOut: 0, next: null } },
  errors: ['listener_not_registered', 'listener_paused'],
  access: { role: 'operator', action: 'redeliver', organisation: 'body' },
});

export const redeliverDeliveryRoute = route('redeliverDelivery', 'post', '/deliveries/:id/redeliver', {
  summary: 'Redeliver a delivery',
  description: 'Makes it due now, in any state; the numbers of its attempts continue.',
  params: { id },
  body: { orgId: orgIdField },
  bodyExample: { orgId: exampleIds.orgId },
  answer: {
    schema: deliveryAnswer,
    example: { ...example, state: 'waiting', dueAt: exampleTimes.after, waitsFor: 'a worker' },
  },
  errors: ['delivery_not_found', 'listener_not_registered', 'listener_paused'],
  access: { role: 'operator', action: 'redeliver', organisation: 'body' },
});

export const showStatsRoute = route('showStats', 'get', '/stats', {
  summary: 'Show the results of attempts by listener and by day',
  description:
    'Days are in UTC, both included. Without `to` until today; without `from` the 30 days until `to`. Of one listener also by half hour.',
  query: { ...statsRequest, orgId: orgIdField },
  answer: { schema: deliveryStatsAnswer },
  access: { role: 'viewer', organisation: 'query' },
});

export const showSentRequestRoute = route('showSentRequest', 'get', '/deliveries/:id/request', {
  summary: 'Show the request of a delivery',
  description:
    'The request as it was sent at the latest attempt, without the hook URL and the signature. The body is the same at each attempt. Of a listener with ' +
    'a transformation, it is the event to which that is applied: its result is not kept.',
  params: { id },
  query: { orgId: orgIdField },
  answer: {
    schema: z
      .strictObject({
        headers: z.record(z.string(), z.string()).nullable().describe('Null before the first attempt.'),
        body: z.string().nullable().describe('Null if it is not kept any more.'),
      })
      .meta({ id: 'SentRequest' }),
    example: {
      headers: {
        'content-type': 'application/json',
        'webhook-id': '6f0c2f3e-5b1a-5c8d-8a51-7d9a4e1b2c3d',
        'webhook-timestamp': '1769860800',
      },
      body: '{"id":"order-4711","type":"flow.completed","data":{"total":42}}',
    },
  },
  errors: ['delivery_not_found'],
  access: { role: 'viewer', organisation: 'query' },
});

export const deliveryContracts = route.declared;
