import { z } from 'zod';
import { apiKeyRequest } from '../../../access/api-keys/contract.js';
import { opaqueId } from '../../../kernel/input/opaque-id.js';
import { uuidParameter } from '../../../kernel/input/uuid-parameter.js';
import { adminRoute } from '../routing/admin-route.js';
import { afterParameter, limitParameter } from './lists.js';

const subject = 'API keys';

export const listApiKeysRoute = adminRoute({
  method: 'get',
  path: '/api-keys',
  subject,
  summary: 'List API keys',
  description: 'All of them, or with `orgId` those of one organisation.',
  query: { orgId: opaqueId.optional(), limit: limitParameter, after: afterParameter },
  answer: { schema: z.unknown(), example: {} },
  errors: [],
  access: { role: 'viewer', organisation: 'query' },
});

export const createApiKeyRoute = adminRoute({
  method: 'post',
  path: '/api-keys',
  subject,
  summary: 'Create an API key',
  description: 'The answer alone contains the key, in `key`.',
  body: apiKeyRequest,
  answer: { status: 201, schema: z.unknown(), example: {} },
  errors: [],
  access: { role: 'owner', organisation: 'body' },
});

export const revokeApiKeyRoute = adminRoute({
  method: 'post',
  path: '/api-keys/:id/revoke',
  subject,
  summary: 'Revoke an API key',
  params: { id: uuidParameter('the ID of an API key must be a UUID') },
  answer: { schema: z.unknown(), example: {} },
  errors: ['api_key_not_found'],
  access: { role: 'owner', organisation: 'of-object' },
});

export const apiKeyContracts = [listApiKeysRoute, createApiKeyRoute, revokeApiKeyRoute];
