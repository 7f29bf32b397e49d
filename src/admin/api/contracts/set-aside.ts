import { z } from 'zod';
import { retriedAnswer, setAsideAnswer, setAsideExample } from '../answers/set-aside.js';
import { adminRoute } from '../routing/admin-route.js';
import { limitParameter, listOf, position, positionParameter } from './fields.js';

const subject = 'set-aside events';

/** Maximum number of events retried by one request: each needs several reads and writes, and the client waits. */
const maxRetried = 100;

export const listSetAsideRoute = adminRoute({
  method: 'get',
  path: '/set-aside',
  subject,
  summary: 'List the set-aside events',
  description: 'Events that the fan-out could not decode, in the order of their positions.',
  query: { limit: limitParameter, after: positionParameter.optional() },
  answer: { schema: listOf(setAsideAnswer), example: { items: [setAsideExample], next: null } },
  errors: [],
  access: { role: 'viewer', organisation: 'service' },
});

export const retrySetAsideRoute = adminRoute({
  method: 'post',
  path: '/set-aside/retry',
  subject,
  summary: 'Retry set-aside events',
  description:
    'One (`stream` and `revision`), or a page of all; `next` in the answer is the `after` of the next request.',
  body: {
    stream: z.string().optional(),
    revision: position.optional(),
    after: position.optional(),
    limit: z.int().min(1).max(maxRetried).default(maxRetried),
  },
  bodyExample: { stream: 'flow-4711', revision: '3' },
  answer: {
    schema: listOf(retriedAnswer),
    example: { items: [{ ...setAsideExample, outcome: 'handed-over', deliveries: 2, reason: null }], next: null },
  },
  errors: ['not_set_aside'],
  access: { role: 'operator', organisation: 'service' },
});

export const setAsideContracts = [listSetAsideRoute, retrySetAsideRoute];
