import { z } from 'zod';
import type { Route } from '../http/route-contract.js';
import { listenerIdParameter, opaqueId } from '../kernel/input/texts.js';
import { subscriptionAnswer, subscriptionExample, subscriptionRequest } from './subscription.js';

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

export const replacedSubscriptionAnswer = z
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
  replaced: replacedSubscriptionAnswer,
  message: z.string(),
});

export const unsubscribeAnswer = z.strictObject({ success: z.literal(true), message: z.string() });

const orgid = opaqueId
  .optional()
  .describe(
    'The organisation; `orgId` is the same header. Needed with an access token, of whose organisation it has to be, and with an API key ' +
      'for every organisation.',
  );

const userid = opaqueId
  .optional()
  .describe(
    'The user, who becomes the owner of the listener. Needed unless an API key is sent; with an access token it has to be its user.',
  );

const exampleListener = {
  hookUrl: 'https://hooks.platform.example/catch/123/abc',
  subscriptionType: 'flow.*',
};

const examplePublicKey = 'whpk_6kVSg8k6z5cBFuDHQ5TKE1jmpkqRxeiDwSgyKZ6CUpk=';

const common = {
  method: 'post',
  tag: 'Platforms: listeners',
  credentials: { accessToken: ['listeners'], apiKey: ['listeners:write'] },
  commonErrors: 'failures as 500',
} as const;

/** Route below the prefix of the platforms’ routes, as the others. */
export const subscribeRoute = {
  ...common,
  name: 'subscribe',
  path: '/subscribe/flows',
  summary: 'Register a listener',
  description:
    'Every flow event of the organisation that the `subscriptionType` selects is then delivered to the hook URL. A repeat with the same ' +
    'subscription gets the same answer, and changes nothing except that it resumes a paused listener. Another subscription replaces the ' +
    'present one, which is then in `replaced`, and resumes the listener too. Unknown fields are ignored.',
  headers: z.object({ orgid, userid }),
  body: subscribeRequest,
  bodyExample: exampleListener,
  answer: {
    status: 201,
    description: 'The listener is registered.',
    schema: subscribeAnswer,
    example: {
      id: 'b3c9b8a4-0f0e-4a55-9d3c-6f3a1f0c2d11',
      listenerId: 'b3c9b8a4-0f0e-4a55-9d3c-6f3a1f0c2d11',
      signingSecret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      signingPublicKey: examplePublicKey,
      orgId: 'acme',
      ...subscriptionExample,
      ...exampleListener,
      replaced: null,
      message: 'The listener is registered.',
    },
  },
  errors: [
    'target_not_allowed',
    'too_many_listeners',
    'integration_task_missing',
    'integration_task_inactive',
    'key_set_unavailable',
  ],
} as const satisfies Route;

export const unsubscribeRoute = {
  ...common,
  name: 'unsubscribe',
  path: '/unsubscribe/flows',
  summary: 'Remove a listener',
  description:
    'After the answer, no delivery to the listener starts. A repeat for a removed listener gets the same answer; a hook URL that was never ' +
    'registered gets the error `listener_not_found`.',
  headers: z.object({ orgid, userid: userid.describe('The user, for the history.') }),
  body: z.object({ hookUrl }),
  bodyExample: { hookUrl: exampleListener.hookUrl },
  answer: {
    description: 'The listener is removed.',
    schema: unsubscribeAnswer,
    example: { success: true, message: 'The listener is removed: no delivery to it starts any more.' },
  },
  errors: ['listener_not_found', 'key_set_unavailable'],
} as const satisfies Route;

export const publicKeysRoute = {
  name: 'showPublicKeysOfListener',
  method: 'get',
  path: '/listeners/:listenerId/public-keys',
  tag: 'Platforms: listeners',
  summary: 'Show the public keys of a listener',
  description:
    'They verify the signatures `v1a` of its deliveries ([Standard Webhooks](https://www.standardwebhooks.com), Ed25519): one key, or two after ' +
    'a rotation. Without credentials: the keys are public, and a listener ID cannot be guessed. The answer may be a minute old.',
  credentials: { anonymous: [] },
  params: z.object({ listenerId: listenerIdParameter }),
  answer: {
    description: 'The keys, the present one first.',
    schema: publicKeysAnswer,
    example: { keys: [{ publicKey: examplePublicKey, version: 1, until: null }] },
  },
  errors: ['not_found'],
} as const satisfies Route;

export const listenerContracts: readonly Route[] = [subscribeRoute, unsubscribeRoute, publicKeysRoute];
