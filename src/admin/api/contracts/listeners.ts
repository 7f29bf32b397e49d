import { z } from 'zod';
import { publishRequest } from '../../../flows/contract.js';
import { overlapHours as limits } from '../../../listeners/overlap-hours.js';
import {
  changedListenerAnswer,
  changedListenerExample,
  listenerAnswer,
  listenerExample,
  resumedListenerAnswer,
  rotatedListenerAnswer,
  testDeliveryAnswer,
  testDeliveryExample,
  triedEventAnswer,
  triedEventExample,
} from '../answers/listener.js';
import { exampleTimes } from '../answers/values.js';
import { adminRoute } from '../routing/admin-route.js';
import { afterParameter, limitParameter, listenerIdInPath, listOf, orgIdField } from './fields.js';

const subject = 'listeners';
const params = { listenerId: listenerIdInPath };

export const listListenersRoute = adminRoute({
  method: 'get',
  path: '/listeners',
  subject,
  summary: 'List the listeners of an organisation',
  description: 'Its current listeners, active and paused.',
  query: { orgId: orgIdField, limit: limitParameter, after: afterParameter },
  answer: { schema: listOf(listenerAnswer), example: { items: [listenerExample], next: null } },
  errors: [],
  access: { role: 'viewer', scope: 'listeners:read', organisation: 'query' },
});

export const pauseListenerRoute = adminRoute({
  method: 'post',
  path: '/listeners/:listenerId/pause',
  subject,
  summary: 'Pause a listener',
  description: 'Its deliveries are held. A repeat changes nothing.',
  params,
  answer: { schema: changedListenerAnswer, example: changedListenerExample },
  errors: ['not_found'],
  access: { role: 'operator', organisation: 'of-object' },
});

export const resumeListenerRoute = adminRoute({
  method: 'post',
  path: '/listeners/:listenerId/resume',
  subject,
  summary: 'Resume a listener',
  description:
    'With `redeliverHeld` its held deliveries are made due too; otherwise they stay held until they are redelivered.',
  params,
  body: { redeliverHeld: z.boolean().default(false) },
  bodyExample: { redeliverHeld: true },
  answer: {
    schema: resumedListenerAnswer,
    example: {
      ...changedListenerExample,
      state: 'active',
      changed: ['ListenerResumed'],
      held: 0,
      redelivered: 3,
      moreMayCome: false,
    },
  },
  errors: ['not_found'],
  access: { role: 'operator', organisation: 'of-object' },
});

const hours = { error: `must be a whole number from 0 to ${limits.max}` };

export const rotateListenerSecretRoute = adminRoute({
  method: 'post',
  path: '/listeners/:listenerId/rotate-secret',
  subject,
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
      ...changedListenerExample,
      state: 'active',
      secretVersion: 2,
      previousSecretUntil: exampleTimes.after,
      changed: ['ListenerSecretRotated'],
      signingSecret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    },
  },
  errors: ['not_found', 'secrets_overlap'],
  access: { role: 'operator', organisation: 'of-object' },
});

export const unsubscribeListenerRoute = adminRoute({
  method: 'post',
  path: '/listeners/:listenerId/unsubscribe',
  subject,
  summary: 'Remove a listener',
  description: 'Its waiting and held deliveries are cancelled. Only the platform can register it again.',
  params,
  answer: {
    schema: changedListenerAnswer,
    example: { ...changedListenerExample, state: 'unsubscribed', changed: ['ListenerUnsubscribed'] },
  },
  errors: ['not_found'],
  access: { role: 'operator', organisation: 'of-object' },
});

export const testListenerRoute = adminRoute({
  method: 'post',
  path: '/listeners/:listenerId/test',
  subject,
  summary: 'Send a sample flow event to a listener',
  description: 'Of the type that it is subscribed to. It is attempted once.',
  params,
  answer: {
    description: 'There was an attempt.',
    schema: testDeliveryAnswer,
    example: testDeliveryExample,
    alternative: {
      status: 202,
      description: 'There was no attempt within some seconds.',
      example: { ...testDeliveryExample, state: 'cancelled', attempt: null },
      when: ({ attempt }) => attempt === null,
    },
  },
  errors: ['not_found', 'listener_not_registered', 'listener_paused'],
  access: { role: 'operator', organisation: 'of-object' },
});

export const tryListenerRoute = adminRoute({
  method: 'post',
  path: '/listeners/:listenerId/try',
  subject,
  summary: 'Show what a listener would receive of a flow event',
  description:
    'Applies the subscription type, the filter and the transformation of the present listener. Nothing is sent or recorded.',
  params,
  body: { event: publishRequest.omit({ orgId: true }) },
  bodyExample: { event: { type: 'flow.completed', data: { total: 12 } } },
  answer: { schema: triedEventAnswer, example: triedEventExample },
  errors: ['not_found', 'store_unavailable'],
  access: { role: 'viewer', organisation: 'of-object' },
});

export const listenerContracts = [
  listListenersRoute,
  pauseListenerRoute,
  resumeListenerRoute,
  rotateListenerSecretRoute,
  unsubscribeListenerRoute,
  testListenerRoute,
  tryListenerRoute,
];
