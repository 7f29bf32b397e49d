import type { RouteDescription } from '../http/api-description/route-description.js';
import { opaqueId } from '../kernel/input/opaque-id.js';
import { performListAnswer } from './contract.js';
import { publishDescriptions } from './publishing/description.js';
import { sampleQuery } from './samples/sample-request.js';
import { sampleTriggers } from './triggers.js';

/** The routes of `flowRoutes`. */
export const flowRouteDescriptions = (prefix: string): readonly RouteDescription[] => [
  ...publishDescriptions,
  {
    method: 'get',
    path: `${prefix}/perform-list`,
    tag: 'Platforms: hooks',
    summary: 'Show what hooks receive',
    description:
      'Samples, each exactly as hooks receive them. A caller that identifies itself gets the latest flow events of its organisation, the ' +
      'latest first; if it has none, a static sample. Without credentials, and with any that are not accepted, static samples, whatever ' +
      'the query: platforms request them before a user has signed in.',
    credentials: { anonymous: [], accessToken: ['hooks'], apiKey: ['hooks:read'] },
    headers: { orgid: opaqueId.optional().describe('The organisation. Not needed if the credentials are for one.') },
    query: sampleQuery.shape,
    answers: {
      201: { description: 'Samples.', schema: performListAnswer, example: sampleTriggers(undefined) },
    },
    errors: ['integration_task_missing', 'integration_task_inactive', 'key_set_unavailable'],
    commonErrors: 'failures as 500',
  },
];
