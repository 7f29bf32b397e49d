import type { RouteDescription } from '../http/api-description/route-description.js';
import { opaqueId } from '../kernel/input/opaque-id.js';
import { performListAnswer, publishAnswer, publishRequest } from './contract.js';
import { sampleTriggers } from './triggers.js';

const orgid = opaqueId
  .optional()
  .describe('The organisation. Not needed if the credentials are for one, or the body names it.');

/** The routes of `flowRoutes`. */
export const flowRouteDescriptions = (prefix: string): readonly RouteDescription[] => [
  {
    method: 'post',
    path: '/api/flows',
    tag: 'Producers: flow events',
    summary: 'Publish a flow event',
    description:
      'Every hook of the organisation whose `subscriptionType` selects the type receives it. Publishing again with the same `id` has no ' +
      'effect, so a request whose answer was lost can be repeated. The event may have at most `MAX_EVENT_BYTES`.',
    credentials: { apiKey: ['flows:publish'], accessToken: ['flows:publish'], adminKey: ['operator'] },
    headers: { orgid, userid: opaqueId.optional().describe('The user, for the history.') },
    body: {
      schema: publishRequest,
      example: { orgId: 'acme', type: 'flow.completed', id: 'order-4711', data: { total: 42 } },
    },
    answers: {
      202: {
        description: 'The flow event is stored, and is delivered.',
        schema: publishAnswer,
        example: { id: 'order-4711' },
      },
    },
    errors: ['key_set_unavailable'],
  },
  {
    method: 'get',
    path: `${prefix}/perform-list`,
    tag: 'Platforms: hooks',
    summary: 'Show what hooks receive',
    description:
      'Samples, each in the shape of a delivery. Without credentials: platforms request them before a user has signed in.',
    credentials: { anonymous: [] },
    answers: {
      201: { description: 'Samples.', schema: performListAnswer, example: sampleTriggers(undefined) },
    },
    errors: ['integration_task_missing', 'integration_task_inactive'],
    commonErrors: 'failures as 500',
  },
];
