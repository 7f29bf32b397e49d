import { z } from 'zod';
import { positionText } from './values.js';

const place = { stream: z.string(), revision: positionText, position: positionText, type: z.string() };

export const setAsideAnswer = z
  .strictObject({ ...place, reason: z.string().describe('Why it cannot be decoded.') })
  .meta({ id: 'SetAsideEvent', description: 'An event that could not be decoded; it is kept.' });

export const retriedAnswer = z
  .strictObject({
    ...place,
    outcome: z.enum(['handed-over', 'set-aside']),
    deliveries: z.int().nonnegative().describe('Number of deliveries that the retry enqueued.'),
    reason: z.string().nullable().describe('Why it cannot be decoded; null: it is no longer set aside.'),
  })
  .meta({ id: 'RetriedEvent' });

export const setAsideExample = {
  stream: 'flow-4711',
  revision: '3',
  position: '4711',
  type: 'flow.completed',
  reason: 'data.orgId: is missing',
} as const;
