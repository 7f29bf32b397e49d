import { z } from 'zod';
import { adminRoutesOf } from '../routing/admin-route.js';
import { limitParameter, listAnswer, position, positionParameter, positionText } from './fields.js';

const place = { stream: z.string(), revision: positionText, position: positionText, type: z.string() };

const setAsideAnswer = z
  .strictObject({ ...place, reason: z.string().describe('The reason why it cannot be decoded.') })
  .meta({ id: 'SetAsideEvent', description: 'An event that could not be decoded; it is kept.' });

const retriedAnswer = z
  .strictObject({
    ...place,
    outcome: z.enum(['handed-over', 'set-aside']),
    deliveries: z.int().nonnegative().describe('Number of deliveries that the retry enqueued.'),
    reason: z.string().nullable().describe('The reason why it cannot be decoded; null: it is no longer set aside.'),
  })
  .meta({ id: 'RetriedEvent' });

const example = { stream: 'flow-4711', revision: '3' };

const route = adminRoutesOf('set-aside events');

/** Each retry takes several reads and writes while the client waits. */
const maxRetried = 100;

export const listSetAsideRoute = route('listSetAside', 'get', '/set-aside', {
  summary: 'List the set-aside events',
  description: 'Events that the fan-out could not decode, in the order of their positions.',
  query: { limit: limitParameter, after: positionParameter.optional() },
  answer: listAnswer(setAsideAnswer, { ...example, reason: 'data.orgId: is missing' }),
  access: { role: 'viewer', organisation: 'service' },
});

export const retrySetAsideRoute = route('retrySetAside', 'post', '/set-aside/retry', {
  summary: 'Retry set-aside events',
  description:
    'One (`stream` and `revision`), or a page of all; `next` in the answer is the `after` of the next request.',
  body: {
    stream: z.string().optional(),
    revision: position.optional(),
    after: position.optional(),
    limit: z.int().min(1).max(maxRetried).default(maxRetried),
  },
  bodyExample: example,
  answer: listAnswer(retriedAnswer, example),
  errors: ['not_set_aside'],
  access: { role: 'operator', organisation: 'service' },
});

export const setAsideContracts = route.declared;
