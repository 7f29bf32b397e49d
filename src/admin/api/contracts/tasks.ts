import { z } from 'zod';
import { opaqueId } from '../../../kernel/input/opaque-id.js';
import { changedTaskAnswer, registeredTaskAnswer, taskAnswer, taskExample } from '../answers/organisation.js';
import { exampleIds } from '../answers/values.js';
import { adminRoute } from '../routing/admin-route.js';
import { afterParameter, limitParameter, listOf } from './fields.js';

const subject = 'integration tasks';
const orgId = opaqueId.nullable().default(null).describe('Null, or left out: the default of the whole service.');
const text = z.string().min(1).max(256).optional();

export const showTaskRoute = adminRoute({
  method: 'get',
  path: '/tasks',
  subject,
  summary: 'Show the integration task in effect',
  description: 'That of the organisation, else the default of the whole service.',
  query: { orgId },
  answer: { schema: taskAnswer, example: taskExample },
  errors: [],
  access: { role: 'viewer', organisation: 'query' },
});

export const registerTaskRoute = adminRoute({
  method: 'post',
  path: '/tasks/register',
  subject,
  summary: 'Register an integration task',
  description: 'It allows new listeners once it is active.',
  body: { orgId, name: text },
  bodyExample: { orgId: exampleIds.orgId, name: 'default' },
  answer: {
    schema: changedTaskAnswer,
    example: { ...taskExample, state: 'inactive', changed: ['IntegrationTaskRegistered'] },
  },
  errors: [],
  access: { role: 'operator', organisation: 'service' },
});

export const activateTaskRoute = adminRoute({
  method: 'post',
  path: '/tasks/activate',
  subject,
  summary: 'Activate an integration task',
  body: { orgId },
  bodyExample: { orgId: exampleIds.orgId },
  answer: { schema: changedTaskAnswer, example: { ...taskExample, changed: ['IntegrationTaskActivated'] } },
  errors: ['not_found'],
  access: { role: 'operator', organisation: 'service' },
});

export const deactivateTaskRoute = adminRoute({
  method: 'post',
  path: '/tasks/deactivate',
  subject,
  summary: 'Deactivate an integration task',
  description: 'New listeners are refused; existing listeners are unchanged.',
  body: { orgId, reason: text },
  bodyExample: { orgId: exampleIds.orgId, reason: 'the contract has ended' },
  answer: {
    schema: changedTaskAnswer,
    example: { ...taskExample, state: 'inactive', changed: ['IntegrationTaskDeactivated'] },
  },
  errors: ['not_found'],
  access: { role: 'operator', organisation: 'service' },
});

export const listTasksRoute = adminRoute({
  method: 'get',
  path: '/tasks/registered',
  subject,
  summary: 'List the registered integration tasks',
  description: 'The default of the service, and those of organisations, in the order of their streams.',
  query: { limit: limitParameter, after: afterParameter },
  answer: {
    schema: listOf(registeredTaskAnswer),
    example: {
      items: [{ orgId: null, name: 'default', state: 'active', since: '2026-01-31T12:00:00.000Z', reason: null }],
      next: null,
    },
  },
  errors: [],
  access: { role: 'viewer', organisation: 'service' },
});

export const taskContracts = [listTasksRoute, showTaskRoute, registerTaskRoute, activateTaskRoute, deactivateTaskRoute];
