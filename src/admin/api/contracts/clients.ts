import { z } from 'zod';
import {
  changeClientRequest,
  registerClientRequest,
  rotateClientSecretRequest,
} from '../../../access/clients/contract.js';
import { changedClientAnswer, clientAnswer, clientExample, removedClientAnswer } from '../answers/credentials.js';
import { adminRoute } from '../routing/admin-route.js';
import { listOf } from './fields.js';

const subject = 'clients';
const params = { clientId: z.string().meta({ description: 'The ID of a client.', examples: ['platform'] }) };
const clientSecret = 'kq0OcPz8nH0X1pVtYc4d1ZpW3s8QYvRr5m2bJ7uT6eA';

export const listClientsRoute = adminRoute({
  method: 'get',
  path: '/clients',
  subject,
  summary: 'List the registered clients',
  answer: { schema: listOf(clientAnswer), example: { items: [clientExample], next: null } },
  errors: [],
  access: { role: 'viewer', organisation: 'service' },
});

export const registerClientRoute = adminRoute({
  method: 'post',
  path: '/clients',
  subject,
  summary: 'Register a client',
  description: 'The answer alone contains the generated `clientSecret`.',
  body: registerClientRequest,
  bodyExample: { name: clientExample.name, redirectUris: clientExample.redirectUris },
  answer: {
    status: 201,
    schema: changedClientAnswer,
    example: { ...clientExample, clientSecret, changed: ['ClientRegistered'] },
  },
  errors: ['client_exists', 'too_many_clients'],
  access: { role: 'owner', organisation: 'service' },
});

export const changeClientRoute = adminRoute({
  method: 'post',
  path: '/clients/:clientId/change',
  subject,
  summary: 'Change a client',
  description: 'Fields that are left out stay as they are.',
  params,
  body: changeClientRequest,
  bodyExample: { name: clientExample.name },
  answer: { schema: changedClientAnswer, example: { ...clientExample, changed: ['ClientChanged'] } },
  errors: ['client_not_found'],
  access: { role: 'owner', organisation: 'service' },
});

export const rotateClientSecretRoute = adminRoute({
  method: 'post',
  path: '/clients/:clientId/rotate-secret',
  subject,
  summary: 'Rotate the secret of a client',
  description: 'The answer alone contains the generated `clientSecret`.',
  params,
  body: rotateClientSecretRequest,
  bodyExample: { overlapHours: 24 },
  answer: {
    schema: changedClientAnswer,
    example: { ...clientExample, clientSecret, changed: ['ClientSecretRotated'] },
  },
  errors: ['client_not_found', 'secrets_overlap'],
  access: { role: 'owner', organisation: 'service' },
});

export const endPreviousClientSecretRoute = adminRoute({
  method: 'post',
  path: '/clients/:clientId/end-previous-secret',
  subject,
  summary: 'End the previous secret of a client',
  description: 'From then on only the current secret is accepted.',
  params,
  answer: { schema: changedClientAnswer, example: { ...clientExample, changed: ['ClientPreviousSecretEnded'] } },
  errors: ['client_not_found'],
  access: { role: 'owner', organisation: 'service' },
});

export const removeClientRoute = adminRoute({
  method: 'post',
  path: '/clients/:clientId/remove',
  subject,
  summary: 'Remove a client',
  description: 'Its users cannot sign in or refresh their tokens any more.',
  params,
  answer: { schema: removedClientAnswer, example: { clientId: clientExample.clientId, changed: ['ClientRemoved'] } },
  errors: ['client_not_found'],
  access: { role: 'owner', organisation: 'service' },
});

export const clientContracts = [
  listClientsRoute,
  registerClientRoute,
  changeClientRoute,
  rotateClientSecretRoute,
  endPreviousClientSecretRoute,
  removeClientRoute,
];
