import { z } from 'zod';
import { publishRequest } from '../../../flows/contract.js';
import { jsonValue } from '../../../kernel/input/json-value.js';
import { opaqueId } from '../../../kernel/input/texts.js';
import { replacedSubscriptionAnswer, signingPublicKey, subscribeRequest } from '../../../listeners/contract.js';
import { overlapHours as limits } from '../../../listeners/overlap-hours.js';
import { subscriptionAnswer, subscriptionExample } from '../../../listeners/subscription.js';
import { adminRoutesOf } from '../routing/admin-route.js';
import { attemptAnswer, deliveryStateAnswer } from './delivery.js';
import {
  afterParameter,
  changed,
  exampleIds,
  exampleTimes,
  limitParameter,
  listAnswer,
  listenerIdInPath,
  orgIdField,
  time,
  timeOrNull,
} from './fields.js';

const listener = {
  listenerId: z.uuid(),
  orgId: z.string(),
  userId: z.string().describe('The user who registered it first.'),
  hookUrl: z.string().describe('A capability: it must not appear in logs.'),
  ...subscriptionAnswer,
  secretVersion: z.int().positive().describe('The number of its signing secret.'),
  previousSecretUntil: timeOrNull.describe('Deliveries are also signed with the previous secret until then.'),
  failing: z
    .strictObject({
      since: time,
      failures: z.int().nonnegative(),
      percent: z.int().min(0).max(100).describe('Share of the limit at which the listener is paused.'),
    })
    .nullable()
    .describe('The failures that were last recorded: all attempts since `since` have failed; null: none.'),
  expiresAt: time
    .optional()
    .describe('The end of the subscription of an agent, unless its host renews it; missing for other listeners.'),
};

export const listenerAnswer = z
  .strictObject({
    ...listener,
    state: z.enum(['active', 'paused']),
    pausedBy: z.enum(['operator', 'failing']).nullable(),
    since: time.describe('The time of the last change of its state or subscription.'),
    registeredAt: time.describe('The time at which it was registered.'),
  })
  .meta({ id: 'Listener', description: 'The current listener.' });

const changedListener = { ...listener, state: z.enum(['active', 'paused', 'unsubscribed']), changed };

export const changedListenerAnswer = z
  .strictObject(changedListener)
  .meta({ id: 'ChangedListener', description: 'The listener after a change.' });

const resumedListenerAnswer = z
  .strictObject({
    ...changedListener,
    held: z.int().nonnegative().describe('Number of deliveries that are still held.'),
    redelivered: z.int().nonnegative().describe('Number of held deliveries that were made due.'),
    moreMayCome: z.boolean().describe('The fan-out has not yet processed all flow events of the pause.'),
  })
  .meta({ id: 'ResumedListener' });

const rotatedListenerAnswer = z
  .strictObject({
    ...changedListener,
    signingSecret: z.string().describe('The new signing secret.'),
    signingPublicKey,
  })
  .meta({ id: 'ListenerWithSecret' });

const subscribedListenerAnswer = z
  .strictObject({ ...rotatedListenerAnswer.shape, replaced: replacedSubscriptionAnswer })
  .meta({ id: 'SubscribedListener' });

const testDeliveryAnswer = z
  .strictObject({
    deliveryId: z.uuid(),
    eventId: z.uuid(),
    state: deliveryStateAnswer,
    attempt: attemptAnswer.nullable().describe('Null: there was no attempt within some seconds.'),
  })
  .meta({ id: 'TestDelivery', description: 'The result of a sample flow event.' });

const triedEventAnswer = z
  .strictObject({
    sent: z.boolean(),
    body: jsonValue.describe('The body that the listener would receive; null if nothing would be sent.'),
    because: z.string().nullable().describe('The reason why nothing would be sent.'),
  })
  .meta({ id: 'TriedEvent', description: 'The request that a listener would receive for a flow event.' });

const route = adminRoutesOf('listeners');
const params = { listenerId: listenerIdInPath };

export const listListenersRoute = route('listListeners', 'get', '/listeners', {
  summary: 'List the listeners of an organisation',
  description: 'Its current listeners, active and paused.',
  query: { orgId: orgIdField, limit: limitParameter, after: afterParameter },
  answer: listAnswer(listenerAnswer, subscriptionExample),
  access: { role: 'viewer', scope: 'listeners:read', organisation: 'query' },
});

export const subscribeListenerRoute = route('subscribeListener', 'post', '/listeners', {
  summary: 'Register a listener, or change its subscription',
  description:
    'Registers as a platform does. A listener at the same hook URL keeps its ID, and gets the subscription of the request; ' +
    'a paused one is resumed.',
  body: {
    orgId: orgIdField,
    userId: opaqueId.optional().describe('The user for whom it is registered; without it, the caller.'),
    ...subscribeRequest.shape,
  },
  bodyExample: { orgId: exampleIds.orgId, hookUrl: 'https://hooks.example.com/catch/7f3a', subscriptionType: 'flow.*' },
  answer: {
    status: 201,
    schema: subscribedListenerAnswer,
    example: { ...subscriptionExample, changed: ['ListenerSubscribed'] },
  },
  errors: ['target_not_allowed', 'too_many_listeners'],
  access: { role: 'operator', action: 'register', organisation: 'body' },
});

export const pauseListenerRoute = route('pauseListener', 'post', '/listeners/:listenerId/pause', {
  summary: 'Pause a listener',
  description: 'Its deliveries are held. A repeat changes nothing.',
  params,
  answer: {
    schema: changedListenerAnswer,
    example: { ...subscriptionExample, state: 'paused', changed: ['ListenerPaused'] },
  },
  errors: ['not_found'],
  access: { role: 'operator', action: 'pause', organisation: 'of-object' },
});

export const resumeListenerRoute = route('resumeListener', 'post', '/listeners/:listenerId/resume', {
  summary: 'Resume a listener',
  description:
    'With `redeliverHeld` its held deliveries are made due too; otherwise they stay held until they are redelivered.',
  params,
  body: {
    redeliverHeld: z.boolean().default(false),
    closeCircuit: z
      .boolean()
      .default(false)
      .describe('Also of an active listener: its circuit breaker closes, and its failures do not count any more.'),
  },
  bodyExample: { redeliverHeld: true },
  answer: {
    schema: resumedListenerAnswer,
    example: { ...subscriptionExample, changed: ['ListenerResumed'], redelivered: 3 },
  },
  errors: ['not_found'],
  access: { role: 'operator', action: 'pause', organisation: 'of-object' },
});

const hours = { error: `must be a whole number from 0 to ${limits.max}` };

export const rotateListenerSecretRoute = route('rotateListenerSecret', 'post', '/listeners/:listenerId/rotate-secret', {
  summary: 'Rotate the signing secret of a listener',
  description: 'Deliveries are signed with both secrets for `overlapHours`.',
  params,
  body: {
    overlapHours: z.int(hours).min(0, hours).max(limits.max, hours).default(limits.default),
    replaces: z
      .int()
      .positive()
      .optional()
      .describe('The `secretVersion` that is to be replaced: a repeat with it does not rotate again.'),
  },
  bodyExample: { overlapHours: 24, replaces: 1 },
  answer: {
    schema: rotatedListenerAnswer,
    example: {
      ...subscriptionExample,
      secretVersion: 2,
      previousSecretUntil: exampleTimes.after,
      changed: ['ListenerSecretRotated'],
    },
  },
  errors: ['not_found', 'secrets_overlap'],
  access: { role: 'operator', action: 'rotate-secret', organisation: 'of-object' },
});

export const unsubscribeListenerRoute = route('unsubscribeListener', 'post', '/listeners/:listenerId/unsubscribe', {
  summary: 'Remove a listener',
  description: 'Its waiting and held deliveries are cancelled. Only the platform can register it again.',
  params,
  answer: {
    schema: changedListenerAnswer,
    example: { ...subscriptionExample, state: 'unsubscribed', changed: ['ListenerUnsubscribed'] },
  },
  errors: ['not_found'],
  access: { role: 'operator', action: 'unsubscribe', organisation: 'of-object' },
});

export const testListenerRoute = route('testListener', 'post', '/listeners/:listenerId/test', {
  summary: 'Send a sample flow event to a listener',
  description: 'The event has the type that the listener subscribes to. It is attempted once.',
  params,
  answer: {
    description: 'An attempt was made.',
    schema: testDeliveryAnswer,
    example: { eventId: '9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d', state: 'succeeded', attempt: {} },
    alternative: {
      status: 202,
      description: 'No attempt was made within a few seconds.',
      example: { state: 'cancelled' },
      when: ({ attempt }) => attempt === null,
    },
  },
  errors: ['not_found', 'listener_not_registered', 'listener_paused'],
  access: { role: 'operator', action: 'test', organisation: 'of-object' },
});

export const tryListenerRoute = route('tryListener', 'post', '/listeners/:listenerId/try', {
  summary: 'Show what a listener would receive of a flow event',
  description:
    'Applies the subscription type, the filter and the transformation of the present listener. Nothing is sent or recorded.',
  params,
  body: { event: publishRequest.omit({ orgId: true }) },
  bodyExample: { event: { type: 'flow.completed', data: { total: 12 } } },
  answer: {
    schema: triedEventAnswer,
    example: { body: null, because: "the listener's filter excludes the event: data.total.$gt 40 failed on 12" },
  },
  errors: ['not_found', 'store_unavailable'],
  access: { role: 'viewer', organisation: 'of-object' },
});

export const listenerContracts = route.declared;
