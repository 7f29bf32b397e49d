import { z } from 'zod';
import { opaqueId, textForPeople } from '../../../kernel/input/texts.js';
import { adminRoutesOf } from '../routing/admin-route.js';
import { afterParameter, changed, exampleIds, limitParameter, listAnswer } from './fields.js';

const task = { orgId: z.string().nullable().describe('Null: the default of the whole service.'), name: z.string() };

const taskAnswer = z
  .discriminatedUnion('state', [
    z.strictObject({ state: z.literal('missing') }).meta({ id: 'MissingIntegrationTask' }),
    z.strictObject({ state: z.enum(['inactive', 'active']), ...task }).meta({ id: 'IntegrationTaskInEffect' }),
  ])
  .meta({ id: 'IntegrationTask', description: 'The organisation may register listeners while it is active.' });

const changedTaskAnswer = z
  .strictObject({ state: z.enum(['inactive', 'active']), ...task, changed })
  .meta({ id: 'ChangedIntegrationTask' });

const registeredTaskAnswer = z
  .strictObject({
    ...task,
    state: z.enum(['registered', 'active', 'inactive']),
    since: z.string().describe('Time at which it got into this state.'),
    reason: z.string().nullable().describe('The reason of its deactivation, if one was given.'),
  })
  .meta({ id: 'RegisteredIntegrationTask' });

const taskExample = { state: 'active', orgId: exampleIds.orgId, name: 'default' } as const;

const route = adminRoutesOf('integration tasks');
const orgId = opaqueId.nullable().default(null).describe('Null, or left out: the default of the whole service.');
const text = textForPeople(256).optional();

export const showTaskRoute = route('showTask', 'get', '/tasks', {
  summary: 'Show the integration task in effect',
  description: 'The task of the organisation, else the default of the whole service.',
  query: { orgId },
  answer: { schema: taskAnswer, example: taskExample },
  access: { role: 'viewer', organisation: 'query' },
});

export const registerTaskRoute = route('registerTask', 'post', '/tasks/register', {
  summary: 'Register an integration task',
  description: 'It allows new listeners once it is active.',
  body: { orgId, name: text },
  bodyExample: { orgId: exampleIds.orgId, name: 'default' },
  answer: {
    schema: changedTaskAnswer,
    example: { ...taskExample, state: 'inactive', changed: ['IntegrationTaskRegistered'] },
  },
  access: { role: 'operator', organisation: 'service' },
});

export const activateTaskRoute = route('activateTask', 'post', '/tasks/activate', {
  summary: 'Activate an integration task',
  body: { orgId },
  bodyExample: { orgId: exampleIds.orgId },
  answer: { schema: changedTaskAnswer, example: { ...taskExample, changed: ['IntegrationTaskActivated'] } },
  errors: ['not_found'],
  access: { role: 'operator', organisation: 'service' },
});

export const deactivateTaskRoute = route('deactivateTask', 'post', '/tasks/deactivate', {
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

export const listTasksRoute = route('listTasks', 'get', '/tasks/registered', {
  summary: 'List the registered integration tasks',
  description: 'The default of the service, and those of organisations, in the order of their streams.',
  query: { limit: limitParameter, after: afterParameter },
  answer: listAnswer(registeredTaskAnswer, taskExample),
  access: { role: 'viewer', organisation: 'service' },
});

export const taskContracts = route.declared;
