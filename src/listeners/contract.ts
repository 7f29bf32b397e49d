import { z } from 'zod';
import { subscriptionAnswer, subscriptionRequest } from './subscription.js';

const hookUrl = z
  .string({ error: 'must be a URL' })
  .describe('An absolute http or https URL, at most 2,048 characters.');

export const signingPublicKey = z
  .string()
  .startsWith('whpk_')
  .describe('Verifies the signatures `v1a` (Ed25519), which deliveries have if `signedWithKeyPair` is true.');

export const publicKeysAnswer = z.strictObject({
  keys: z.array(
    z.strictObject({
      publicKey: z.string().startsWith('whpk_').describe('Ed25519, in the format of Standard Webhooks.'),
      version: z.int().positive().describe('The number of the signing secret beside it.'),
      until: z.iso
        .datetime()
        .nullable()
        .describe('It signs until then, beside the present key; null: the present key.'),
    }),
  ),
});

export const replacedSubscription = z
  .strictObject(subscriptionAnswer)
  .nullable()
  .describe('The subscription that the listener at this hook URL had until now; null: none, or the same.');

/** Other fields are ignored. */
export const subscribeRequest = z.object({ hookUrl, ...subscriptionRequest });

export const subscribeAnswer = z.strictObject({
  id: z.uuid().describe('The same as `listenerId`: platforms look for `id`.'),
  listenerId: z.uuid(),
  signingSecret: z.string().startsWith('whsec_').describe('Deliveries are signed with it (Standard Webhooks).'),
  signingPublicKey,
  orgId: z.string(),
  hookUrl: z.url().describe('The stored form: normalised, without a fragment.'),
  ...subscriptionAnswer,
  replaced: replacedSubscription,
  message: z.string(),
});

export const unsubscribeRequest = z.object({ hookUrl });

export const unsubscribeAnswer = z.strictObject({ success: z.literal(true), message: z.string() });
