import { z } from 'zod';
import { adminRoute } from '../routing/admin-route.js';
import { limitParameter, wholeNumber } from './lists.js';

const subject = 'Set-aside events';

/** Maximum number of events retried by one request: each needs several reads and writes, and the client waits. */
const maxRetried = 100;

export const listSetAsideRoute = adminRoute({
  method: 'get',
  path: '/set-aside',
  subject,
  summary: 'List the flow events that could not be decoded',
  query: { limit: limitParameter, after: wholeNumber.optional() },
  answer: { schema: z.unknown(), example: {} },
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
    revision: wholeNumber.optional(),
    after: wholeNumber.optional(),
    limit: z.int().min(1).max(maxRetried).default(maxRetried),
  },
  answer: { schema: z.unknown(), example: {} },
  errors: ['not_set_aside'],
  access: { role: 'operator', organisation: 'service' },
});

export const setAsideContracts = [listSetAsideRoute, retrySetAsideRoute];
