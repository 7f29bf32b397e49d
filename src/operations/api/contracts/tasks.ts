import { z } from 'zod';
import { opaqueId } from '../../../kernel/input/opaque-id.js';
import { adminRoute } from '../routing/admin-route.js';

const subject = 'Integration tasks';
const orgId = opaqueId.nullable().default(null).describe('Null, or left out: the default of the whole service.');
const text = z.string().min(1).max(256).optional();

export const showTaskRoute = adminRoute({
  method: 'get',
  path: '/tasks',
  subject,
  summary: 'Show the integration task in effect',
  query: { orgId },
  answer: { schema: z.unknown(), example: {} },
  errors: [],
  access: { role: 'viewer', organisation: 'query' },
});

export const registerTaskRoute = adminRoute({
  method: 'post',
  path: '/tasks/register',
  subject,
  summary: 'Register an integration task',
  body: { orgId, name: text },
  answer: { schema: z.unknown(), example: {} },
  errors: [],
  access: { role: 'operator', organisation: 'service' },
});

export const activateTaskRoute = adminRoute({
  method: 'post',
  path: '/tasks/activate',
  subject,
  summary: 'Activate an integration task',
  body: { orgId },
  answer: { schema: z.unknown(), example: {} },
  errors: ['not_found'],
  access: { role: 'operator', organisation: 'service' },
});

export const deactivateTaskRoute = adminRoute({
  method: 'post',
  path: '/tasks/deactivate',
  subject,
  summary: 'Deactivate an integration task',
  body: { orgId, reason: text },
  answer: { schema: z.unknown(), example: {} },
  errors: ['not_found'],
  access: { role: 'operator', organisation: 'service' },
});

export const taskContracts = [showTaskRoute, registerTaskRoute, activateTaskRoute, deactivateTaskRoute];
