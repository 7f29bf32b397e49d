import { z } from 'zod';
import { subscriptionAnswer, subscriptionRequest } from './subscription.js';

const hookUrl = z
  .string({ error: 'must be a URL' })
  .describe('An absolute http or https URL, at most 2,048 characters.');

/** Other fields are ignored. */
export const subscribeRequest = z.object({ hookUrl, ...subscriptionRequest });

export const subscribeAnswer = z.strictObject({
  id: z.uuid().describe('The same as `listenerId`: platforms look for `id`.'),
  listenerId: z.uuid(),
  signingSecret: z.string().startsWith('whsec_').describe('Deliveries are signed with it (Standard Webhooks).'),
  orgId: z.string(),
  hookUrl: z.url().describe('The stored form: normalised, without a fragment.'),
  ...subscriptionAnswer,
  message: z.string(),
});

export const unsubscribeRequest = z.object({ hookUrl });

export const unsubscribeAnswer = z.strictObject({ success: z.literal(true), message: z.string() });
