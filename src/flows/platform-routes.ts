import { z } from 'zod';
import type { Route } from '../http/route-contract.js';
import { opaqueId } from '../kernel/input/texts.js';
import { sampleAnswer, subscriptionTypesAnswer } from './contract.js';
import { sampleQuery } from './samples/sample-request.js';
import { samplePayloads } from './samples/static-samples.js';
import { subscriptionTypesQuery } from './types/subscription-types.js';

const common = { method: 'get', tag: 'Platforms: listeners', commonErrors: 'failures as 500' } as const;

/** Route below the prefix of the platforms’ routes, as the other one. */
export const subscriptionTypesRoute: Route = {
  ...common,
  name: 'listSubscriptionTypes',
  path: '/subscription-types',
  summary: 'List the subscription types to choose from',
  description:
    'All events, and each declared event type, sorted by name; or the values of `SUBSCRIPTION_TYPES`. If there are more than `limit`, the ' +
    'answer has the header `Link`. Without credentials: it contains names, no data.',
  credentials: { anonymous: [] },
  query: subscriptionTypesQuery,
  answer: {
    description: 'The subscription types.',
    headers: {
      Link: '`<…>; rel="next"`, the next page, relative to this address. Without it, the list is complete.',
    },
    schema: subscriptionTypesAnswer,
    example: [
      { id: '*', name: 'All events', description: 'Every flow event.' },
      { id: 'order.paid', name: 'order.paid', description: 'An order was paid' },
    ],
  },
  errors: ['invalid_request'],
};

export const samplesRoute: Route = {
  ...common,
  name: 'listSampleEvents',
  path: '/perform-list',
  summary: 'Show what listeners receive',
  description:
    'Samples, each exactly as listeners receive them. A caller that identifies itself gets the latest flow events of its organisation, the ' +
    'latest first; if it has none, samples of the declared event types, else a static one; with `transform`, the results of the ' +
    'expression. Without accepted credentials the samples are static, for any query: platforms request them before a user has signed in.',
  credentials: { anonymous: [], accessToken: ['listeners'], apiKey: ['listeners:read'] },
  headers: z.object({
    orgid: opaqueId.optional().describe('The organisation. Not needed if the credentials are for one.'),
  }),
  query: sampleQuery,
  answer: { status: 201, description: 'Samples.', schema: sampleAnswer, example: samplePayloads(undefined) },
  errors: ['integration_task_missing', 'integration_task_inactive', 'key_set_unavailable'],
};
