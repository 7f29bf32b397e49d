import type { RouteDescription } from '../http/api-description/route-description.js';
import { listenerIdParameter, opaqueId } from '../kernel/input/texts.js';
import {
  publicKeysAnswer,
  subscribeAnswer,
  subscribeRequest,
  unsubscribeAnswer,
  unsubscribeRequest,
} from './contract.js';
import { subscriptionExample } from './subscription.js';

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
  tag: 'Platforms: listeners',
  credentials: { accessToken: ['listeners'], apiKey: ['listeners:write'] },
  commonErrors: 'failures as 500',
} as const;

/** The routes of `listenerRoutes`. */
export const listenerRouteDescriptions = (prefix: string): readonly RouteDescription[] => [
  {
    ...common,
    name: 'subscribe',
    method: 'post',
    path: `${prefix}/subscribe/flows`,
    summary: 'Register a listener',
    description:
      'Every flow event of the organisation that the `subscriptionType` selects is then delivered to the hook URL. Registering the same ' +
      'again changes nothing and is answered alike; another subscription replaces the one before, which `replaced` then has. Unknown fields are ignored.',
    headers: { orgid, userid },
    body: { schema: subscribeRequest, example: exampleListener },
    answers: {
      201: {
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
    },
    errors: [
      'target_not_allowed',
      'too_many_listeners',
      'integration_task_missing',
      'integration_task_inactive',
      'key_set_unavailable',
    ],
  },
  {
    ...common,
    name: 'unsubscribe',
    method: 'post',
    path: `${prefix}/unsubscribe/flows`,
    summary: 'Remove a listener',
    description:
      'After the answer, no delivery to the listener starts. A listener that has been removed is answered alike; one that was never registered ' +
      'is the error `listener_not_found`.',
    headers: { orgid, userid: userid.describe('The user, for the history.') },
    body: { schema: unsubscribeRequest, example: { hookUrl: exampleListener.hookUrl } },
    answers: {
      200: {
        description: 'The listener is removed.',
        schema: unsubscribeAnswer,
        example: { success: true, message: 'The listener is removed: no delivery to it starts any more.' },
      },
    },
    errors: ['listener_not_found', 'key_set_unavailable'],
  },
  {
    name: 'showPublicKeysOfListener',
    method: 'get',
    path: `${prefix}/listeners/:listenerId/public-keys`,
    tag: 'Platforms: listeners',
    summary: 'Show the public keys of a listener',
    description:
      'They verify the signatures `v1a` of its deliveries ([Standard Webhooks](https://www.standardwebhooks.com), Ed25519): one key, or two after ' +
      'a rotation. Without credentials: the keys are public, and a listener ID cannot be guessed. The answer may be a minute old.',
    credentials: { anonymous: [] },
    params: { listenerId: listenerIdParameter },
    answers: {
      200: {
        description: 'The keys, the present one first.',
        schema: publicKeysAnswer,
        example: { keys: [{ publicKey: examplePublicKey, version: 1, until: null }] },
      },
    },
    errors: ['not_found'],
  },
];
