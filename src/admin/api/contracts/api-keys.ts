import { apiKeyRequest } from '../../../access/api-keys/contract.js';
import { uuidParameter } from '../../../kernel/input/uuid-parameter.js';
import { apiKeyAnswer, apiKeyExample, changedApiKeyAnswer, createdApiKeyAnswer } from '../answers/credentials.js';
import { exampleIds, exampleTimes } from '../answers/values.js';
import { adminRoute } from '../routing/admin-route.js';
import { afterParameter, limitParameter, listOf, orgIdField } from './fields.js';

const subject = 'API keys';

export const listApiKeysRoute = adminRoute({
  method: 'get',
  path: '/api-keys',
  subject,
  summary: 'List API keys',
  description: 'All of them, or with `orgId` those of one organisation.',
  query: { orgId: orgIdField.optional(), limit: limitParameter, after: afterParameter },
  answer: {
    schema: listOf(apiKeyAnswer),
    example: { items: [{ ...apiKeyExample, createdBy: 'admin:ops', revokedBy: null }], next: null },
  },
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
  bodyExample: { name: 'erp', orgId: exampleIds.orgId, scopes: ['flows:publish'] },
  answer: {
    status: 201,
    schema: createdApiKeyAnswer,
    example: {
      ...apiKeyExample,
      lastUsedAt: null,
      changed: ['ApiKeyCreated'],
      key: 'fh_7c9e6679742540de944be07fc1f90ae7_3q2bJ7uT6eAkq0OcPz8nH0X1',
    },
  },
  errors: [],
  access: { role: 'owner', organisation: 'body' },
});

export const revokeApiKeyRoute = adminRoute({
  method: 'post',
  path: '/api-keys/:id/revoke',
  subject,
  summary: 'Revoke an API key',
  description: 'It is refused at once on every instance. A repeat changes nothing.',
  params: { id: uuidParameter('the ID of an API key must be a UUID').meta({ description: 'The ID of an API key.' }) },
  answer: {
    schema: changedApiKeyAnswer,
    example: { ...apiKeyExample, state: 'revoked', revokedAt: exampleTimes.after, changed: ['ApiKeyRevoked'] },
  },
  errors: ['api_key_not_found'],
  access: { role: 'owner', organisation: 'of-object' },
});

export const apiKeyContracts = [listApiKeysRoute, createApiKeyRoute, revokeApiKeyRoute];
