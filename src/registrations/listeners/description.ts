import type { RouteDescription } from '../../http/api-description/route-description.js';
import { opaqueId } from '../../kernel/input/opaque-id.js';
import { subscribeAnswer, subscribeRequest, unsubscribeAnswer, unsubscribeRequest } from './contract.js';

const orgid = opaqueId
  .optional()
  .describe(
    'The organisation; `orgId` is the same header. Needed with an access token, of whose organisation it has to be, and with an API key ' +
      'for every organisation.',
  );

const userid = opaqueId
  .optional()
  .describe(
    'The user, who becomes the owner of the hook. Needed unless an API key is sent; with an access token it has to be its user.',
  );

const exampleHook = {
  hookUrl: 'https://hooks.platform.example/catch/123/abc',
  subscriptionType: 'flow.*',
};

const common = {
  tag: 'Platforms: hooks',
  credentials: { accessToken: ['hooks'], apiKey: ['hooks:write'] },
  commonErrors: 'failures as 500',
} as const;

/** The routes of `listenerRoutes`. */
export const listenerRouteDescriptions = (prefix: string): readonly RouteDescription[] => [
  {
    ...common,
    method: 'post',
    path: `${prefix}/subscribe/flows`,
    summary: 'Register a hook',
    description:
      'Every flow event of the organisation that the `subscriptionType` selects is then delivered to the hook URL. Registering the same ' +
      'again changes nothing and is answered alike; another `subscriptionType` replaces the one before. Unknown fields are ignored.',
    headers: { orgid, userid },
    body: { schema: subscribeRequest, example: exampleHook },
    answers: {
      201: {
        description: 'The hook is registered.',
        schema: subscribeAnswer,
        example: {
          id: 'b3c9b8a4-0f0e-4a55-9d3c-6f3a1f0c2d11',
          listenerId: 'b3c9b8a4-0f0e-4a55-9d3c-6f3a1f0c2d11',
          signingSecret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
          orgId: 'acme',
          ...exampleHook,
          ordered: false,
          ratePerSecond: null,
          message: 'The hook is registered.',
        },
      },
    },
    errors: [
      'target_not_allowed',
      'too_many_hooks',
      'integration_task_missing',
      'integration_task_inactive',
      'key_set_unavailable',
    ],
  },
  {
    ...common,
    method: 'post',
    path: `${prefix}/unsubscribe/flows`,
    summary: 'Remove a hook',
    description:
      'After the answer, no delivery to the hook starts. A hook that has been removed is answered alike; one that was never registered ' +
      'is the error `listener_not_found`.',
    headers: { orgid, userid: userid.describe('The user, for the history.') },
    body: { schema: unsubscribeRequest, example: { hookUrl: exampleHook.hookUrl } },
    answers: {
      200: {
        description: 'The hook is removed.',
        schema: unsubscribeAnswer,
        example: { success: true, message: 'The hook is removed: no delivery to it starts any more.' },
      },
    },
    errors: ['listener_not_found', 'key_set_unavailable'],
  },
];
