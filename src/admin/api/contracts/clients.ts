import { z } from 'zod';
import {
  changeClientRequest,
  registerClientRequest,
  rotateClientSecretRequest,
} from '../../../access/clients/contract.js';
import { clientScope } from '../../../events/client-events.js';
import { adminRoutesOf } from '../routing/admin-route.js';
import { changed, listAnswer, time, timeOrNull } from './fields.js';

const client = {
  clientId: z.string(),
  name: z.string(),
  type: z.enum(['confidential', 'public']),
  redirectUris: z.array(z.string()),
  scopes: z.array(clientScope),
  registeredAt: time,
  secrets: z
    .array(z.strictObject({ createdAt: time, until: timeOrNull.describe('Null: until an operator ends it.') }))
    .describe('The valid secrets, the current one first; never the secrets themselves.'),
};

const clientAnswer = z.strictObject(client).meta({ id: 'RegisteredClient', description: 'A registered platform.' });

const changedClientAnswer = z
  .strictObject({
    ...client,
    clientSecret: z.string().optional().describe('A secret that was generated. It is shown here only.'),
    changed,
  })
  .meta({ id: 'ChangedClient' });

const removedClientAnswer = z.strictObject({ clientId: z.string(), changed }).meta({ id: 'RemovedClient' });

const example = { name: 'Automation platform', redirectUris: ['https://platform.example.com/oauth/callback'] };

const route = adminRoutesOf('clients');
const params = { clientId: z.string().meta({ description: 'The ID of a client.', examples: ['platform'] }) };
const clientSecret = 'kq0OcPz8nH0X1pVtYc4d1ZpW3s8QYvRr5m2bJ7uT6eA';

export const listClientsRoute = route('listClients', 'get', '/clients', {
  summary: 'List the registered clients',
  answer: listAnswer(clientAnswer, example),
  access: { role: 'viewer', organisation: 'service' },
});

export const registerClientRoute = route('registerClient', 'post', '/clients', {
  summary: 'Register a client',
  description: 'The answer alone contains the generated `clientSecret`.',
  body: registerClientRequest,
  bodyExample: example,
  answer: {
    status: 201,
    schema: changedClientAnswer,
    example: { ...example, clientSecret, changed: ['ClientRegistered'] },
  },
  errors: ['client_exists', 'too_many_clients'],
  access: { role: 'owner', organisation: 'service' },
});

export const changeClientRoute = route('changeClient', 'post', '/clients/:clientId/change', {
  summary: 'Change a client',
  description: 'Fields that are left out stay as they are.',
  params,
  body: changeClientRequest,
  bodyExample: { name: example.name },
  answer: { schema: changedClientAnswer, example: { ...example, changed: ['ClientChanged'] } },
  errors: ['client_not_found'],
  access: { role: 'owner', organisation: 'service' },
});

export const rotateClientSecretRoute = route('rotateClientSecret', 'post', '/clients/:clientId/rotate-secret', {
  summary: 'Rotate the secret of a client',
  description: 'The answer alone contains the generated `clientSecret`.',
  params,
  body: rotateClientSecretRequest,
  bodyExample: { overlapHours: 24 },
  answer: {
    schema: changedClientAnswer,
    example: { ...example, clientSecret, changed: ['ClientSecretRotated'] },
  },
  errors: ['client_not_found', 'secrets_overlap'],
  access: { role: 'owner', organisation: 'service' },
});

export const endPreviousClientSecretRoute = route(
  'endPreviousClientSecret',
  'post',
  '/clients/:clientId/end-previous-secret',
  {
    summary: 'End the previous secret of a client',
    description: 'From then on only the current secret is accepted.',
    params,
    answer: { schema: changedClientAnswer, example: { ...example, changed: ['ClientPreviousSecretEnded'] } },
    errors: ['client_not_found'],
    access: { role: 'owner', organisation: 'service' },
  },
);

export const removeClientRoute = route('removeClient', 'post', '/clients/:clientId/remove', {
  summary: 'Remove a client',
  description: 'Its users cannot sign in or refresh their tokens any more.',
  params,
  answer: { schema: removedClientAnswer, example: { changed: ['ClientRemoved'] } },
  errors: ['client_not_found'],
  access: { role: 'owner', organisation: 'service' },
});

export const clientContracts = route.declared;
