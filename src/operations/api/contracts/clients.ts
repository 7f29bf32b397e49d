import { z } from 'zod';
import {
  changeClientRequest,
  registerClientRequest,
  rotateClientSecretRequest,
} from '../../../access/clients/contract.js';
import { adminRoute } from '../routing/admin-route.js';

const subject = 'Clients';
const params = { clientId: z.string() };

export const listClientsRoute = adminRoute({
  method: 'get',
  path: '/clients',
  subject,
  summary: 'List the registered clients',
  answer: { schema: z.unknown(), example: {} },
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
  answer: { status: 201, schema: z.unknown(), example: {} },
  errors: ['client_exists', 'too_many_clients'],
  access: { role: 'owner', organisation: 'service' },
});

export const changeClientRoute = adminRoute({
  method: 'post',
  path: '/clients/:clientId/change',
  subject,
  summary: 'Change a client',
  params,
  body: changeClientRequest,
  answer: { schema: z.unknown(), example: {} },
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
  answer: { schema: z.unknown(), example: {} },
  errors: ['client_not_found', 'secrets_overlap'],
  access: { role: 'owner', organisation: 'service' },
});

export const endPreviousClientSecretRoute = adminRoute({
  method: 'post',
  path: '/clients/:clientId/end-previous-secret',
  subject,
  summary: 'End the previous secret of a client',
  params,
  answer: { schema: z.unknown(), example: {} },
  errors: ['client_not_found'],
  access: { role: 'owner', organisation: 'service' },
});

export const removeClientRoute = adminRoute({
  method: 'post',
  path: '/clients/:clientId/remove',
  subject,
  summary: 'Remove a client',
  params,
  answer: { schema: z.unknown(), example: {} },
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
