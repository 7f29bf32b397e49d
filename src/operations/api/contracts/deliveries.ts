import { z } from 'zod';
import { deliveryFilter, deliveryState, redeliveredStates } from '../../../deliveries/operate/contract.js';
import { opaqueId } from '../../../kernel/input/opaque-id.js';
import { canonicalUuid } from '../../../kernel/input/uuid-parameter.js';
import { adminRoute } from '../routing/admin-route.js';
import { limitParameter } from './lists.js';

const subject = 'Deliveries';
const id = z.string().max(256).transform(canonicalUuid);
const redeliveredAtOnce = 1_000;

export const listDeliveriesRoute = adminRoute({
  method: 'get',
  path: '/deliveries',
  subject,
  summary: 'List deliveries',
  description: "An organisation's deliveries, those of the latest flow events first.",
  query: { orgId: opaqueId, ...deliveryFilter, limit: limitParameter, state: deliveryState.optional() },
  answer: { schema: z.unknown(), example: {} },
  errors: [],
  access: { role: 'viewer', scope: 'deliveries:read', organisation: 'query' },
});

export const countDeliveriesRoute = adminRoute({
  method: 'get',
  path: '/deliveries/status',
  subject,
  summary: 'Count deliveries by state',
  answer: { schema: z.unknown(), example: {} },
  errors: [],
  access: { role: 'viewer', organisation: 'service' },
});

export const showDeliveryRoute = adminRoute({
  method: 'get',
  path: '/deliveries/:id',
  subject,
  summary: 'Show a delivery with its attempts',
  params: { id },
  query: { orgId: opaqueId },
  answer: { schema: z.unknown(), example: {} },
  errors: ['delivery_not_found'],
  access: { role: 'viewer', scope: 'deliveries:read', organisation: 'query' },
});

export const redeliverDeliveriesRoute = adminRoute({
  method: 'post',
  path: '/deliveries/redeliver',
  subject,
  summary: 'Redeliver several deliveries',
  description:
    'Selected by `ids`, or by a filter, which selects dead letters if it names no `states`. `next` in the answer is the ' +
    '`after` of the next request.',
  body: {
    orgId: opaqueId,
    ids: z.array(id).min(1).max(redeliveredAtOnce).optional(),
    ...deliveryFilter,
    states: redeliveredStates,
    limit: z.int().min(1).max(redeliveredAtOnce).default(100),
  },
  answer: { schema: z.unknown(), example: {} },
  errors: [],
  access: { role: 'operator', organisation: 'body' },
});

export const redeliverDeliveryRoute = adminRoute({
  method: 'post',
  path: '/deliveries/:id/redeliver',
  subject,
  summary: 'Redeliver a delivery',
  params: { id },
  body: { orgId: opaqueId },
  answer: { schema: z.unknown(), example: {} },
  errors: ['delivery_not_found'],
  access: { role: 'operator', organisation: 'body' },
});

export const deliveryContracts = [
  listDeliveriesRoute,
  countDeliveriesRoute,
  showDeliveryRoute,
  redeliverDeliveriesRoute,
  redeliverDeliveryRoute,
];
