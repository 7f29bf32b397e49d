import { z } from 'zod';
import { opaqueId } from '../../../kernel/input/opaque-id.js';
import { canonicalUuid } from '../../../kernel/input/uuid-parameter.js';
import { overlapHours as limits } from '../../../registrations/listeners/overlap-hours.js';
import { adminRoute } from '../routing/admin-route.js';
import { afterParameter, limitParameter } from './lists.js';

const subject = 'Hooks';
const params = { listenerId: z.string().transform(canonicalUuid) };

export const listListenersRoute = adminRoute({
  method: 'get',
  path: '/listeners',
  subject,
  summary: 'List the hooks of an organisation',
  description: 'Its current registrations, active and paused.',
  query: { orgId: opaqueId, limit: limitParameter, after: afterParameter },
  answer: { schema: z.unknown(), example: {} },
  errors: [],
  access: { role: 'viewer', scope: 'hooks:read', organisation: 'query' },
});

export const pauseListenerRoute = adminRoute({
  method: 'post',
  path: '/listeners/:listenerId/pause',
  subject,
  summary: 'Pause a hook',
  description: 'Its deliveries are held until it is resumed.',
  params,
  answer: { schema: z.unknown(), example: {} },
  errors: ['not_found'],
  access: { role: 'operator', organisation: 'of-object' },
});

export const resumeListenerRoute = adminRoute({
  method: 'post',
  path: '/listeners/:listenerId/resume',
  subject,
  summary: 'Resume a hook',
  params,
  body: { redeliverHeld: z.boolean().default(false) },
  answer: { schema: z.unknown(), example: {} },
  errors: ['not_found'],
  access: { role: 'operator', organisation: 'of-object' },
});

const hours = { error: `must be a whole number from 0 to ${limits.max}` };

export const rotateListenerSecretRoute = adminRoute({
  method: 'post',
  path: '/listeners/:listenerId/rotate-secret',
  subject,
  summary: 'Rotate the signing secret of a hook',
  params,
  body: {
    overlapHours: z.int(hours).min(0, hours).max(limits.max, hours).default(limits.default),
    /** The `secretVersion` that is to be replaced: a repeat that says so rotates no second time. */
    replaces: z.int().positive().optional(),
  },
  answer: { schema: z.unknown(), example: {} },
  errors: ['not_found', 'secrets_overlap'],
  access: { role: 'operator', organisation: 'of-object' },
});

export const unsubscribeListenerRoute = adminRoute({
  method: 'post',
  path: '/listeners/:listenerId/unsubscribe',
  subject,
  summary: 'Remove a hook',
  params,
  answer: { schema: z.unknown(), example: {} },
  errors: ['not_found'],
  access: { role: 'operator', organisation: 'of-object' },
});

export const testListenerRoute = adminRoute({
  method: 'post',
  path: '/listeners/:listenerId/test',
  subject,
  summary: 'Send a sample flow event to a hook',
  params,
  answer: {
    schema: z.unknown(),
    example: {},
    alternative: {
      status: 202,
      description: 'It is sent, and was not attempted within some seconds.',
      example: {},
      when: (answer) => (answer as { attempt: unknown }).attempt === null,
    },
  },
  errors: ['not_found', 'hook_not_registered', 'hook_paused'],
  access: { role: 'operator', organisation: 'of-object' },
});

export const listenerContracts = [
  listListenersRoute,
  pauseListenerRoute,
  resumeListenerRoute,
  rotateListenerSecretRoute,
  unsubscribeListenerRoute,
  testListenerRoute,
];
