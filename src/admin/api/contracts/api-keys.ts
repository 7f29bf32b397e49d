import { z } from 'zod';
import { apiKeyRequest } from '../../../access/api-keys/api-keys.js';
import { apiKeyScopes } from '../../../events/api-key-events.js';
import { uuidParameter } from '../../../kernel/input/texts.js';
import { adminRoutesOf } from '../routing/admin-route.js';
import {
  afterParameter,
  changed,
  exampleIds,
  exampleTimes,
  limitParameter,
  listAnswer,
  orgIdField,
  time,
  timeOrNull,
} from './fields.js';

const apiKey = {
  id: z.uuid(),
  name: z.string(),
  orgId: z.string().nullable().describe('Null: every organisation.'),
  scopes: z.array(z.string()).describe(`Some of ${apiKeyScopes.join(', ')}.`),
  createdAt: time,
  expiresAt: timeOrNull,
  lastUsedAt: timeOrNull,
  revokedAt: timeOrNull,
};

const apiKeyAnswer = z
  .strictObject({
    ...apiKey,
    state: z.enum(['active', 'expired', 'revoked']),
    createdBy: z.string().nullable(),
    revokedBy: z.string().nullable(),
  })
  .meta({ id: 'ApiKey', description: 'An API key, without the key itself.' });

const changedApiKey = { ...apiKey, state: z.enum(['active', 'revoked']), changed };

const changedApiKeyAnswer = z.strictObject(changedApiKey).meta({ id: 'ChangedApiKey' });

const createdApiKeyAnswer = z
  .strictObject({ ...changedApiKey, key: z.string().describe('The key. It is shown here only.') })
  .meta({ id: 'CreatedApiKey' });

const example = { name: 'erp', scopes: ['flows:publish'] };

const route = adminRoutesOf('API keys');

export const listApiKeysRoute = route('listApiKeys', 'get', '/api-keys', {
  summary: 'List API keys',
  description: 'All of them, or with `orgId` those of one organisation.',
  query: { orgId: orgIdField.optional(), limit: limitParameter, after: afterParameter },
  answer: listAnswer(apiKeyAnswer, example),
  access: { role: 'viewer', organisation: 'query' },
});

export const createApiKeyRoute = route('createApiKey', 'post', '/api-keys', {
  summary: 'Create an API key',
  description: 'The answer alone contains the key, in `key`.',
  body: apiKeyRequest,
  bodyExample: { ...example, orgId: exampleIds.orgId },
  answer: {
    status: 201,
    schema: createdApiKeyAnswer,
    example: {
      ...example,
      lastUsedAt: null,
      changed: ['ApiKeyCreated'],
      key: 'fh_7c9e6679742540de944be07fc1f90ae7_3q2bJ7uT6eAkq0OcPz8nH0X1',
    },
  },
  access: { role: 'owner', organisation: 'body' },
});

export const revokeApiKeyRoute = route('revokeApiKey', 'post', '/api-keys/:id/revoke', {
  summary: 'Revoke an API key',
  description: 'It is refused at once on every instance. A repeat changes nothing.',
  params: { id: uuidParameter('the ID of an API key must be a UUID').meta({ description: 'The ID of an API key.' }) },
  answer: {
    schema: changedApiKeyAnswer,
    example: { ...example, state: 'revoked', revokedAt: exampleTimes.after, changed: ['ApiKeyRevoked'] },
  },
  errors: ['api_key_not_found'],
  access: { role: 'owner', organisation: 'of-object' },
});

export const apiKeyContracts = route.declared;
