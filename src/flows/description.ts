import type { RouteDescription } from '../http/api-description/route-description.js';
import { performListAnswer } from './contract.js';
import { publishDescriptions } from './publishing/description.js';
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
      'Samples, each in the shape of a delivery. Without credentials: platforms request them before a user has signed in.',
    credentials: { anonymous: [] },
    answers: {
      201: { description: 'Samples.', schema: performListAnswer, example: sampleTriggers(undefined) },
    },
    errors: ['integration_task_missing', 'integration_task_inactive'],
    commonErrors: 'failures as 500',
  },
];
