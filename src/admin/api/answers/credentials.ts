import { z } from 'zod';
import { apiKeyScopes } from '../../../events/api-key-events.js';
import { clientScope } from '../../../events/client-events.js';
import { changed, exampleIds, exampleTimes, time, timeOrNull } from './values.js';

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

export const clientAnswer = z
  .strictObject(client)
  .meta({ id: 'RegisteredClient', description: 'A registered platform.' });

export const changedClientAnswer = z
  .strictObject({
    ...client,
    clientSecret: z.string().optional().describe('A secret that was generated. It is shown here only.'),
    changed,
  })
  .meta({ id: 'ChangedClient' });

export const removedClientAnswer = z.strictObject({ clientId: z.string(), changed }).meta({ id: 'RemovedClient' });

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

export const apiKeyAnswer = z
  .strictObject({
    ...apiKey,
    state: z.enum(['active', 'expired', 'revoked']),
    createdBy: z.string().nullable(),
    revokedBy: z.string().nullable(),
  })
  .meta({ id: 'ApiKey', description: 'An API key, without the key itself.' });

const changedApiKey = { ...apiKey, state: z.enum(['active', 'revoked']), changed };

export const changedApiKeyAnswer = z.strictObject(changedApiKey).meta({ id: 'ChangedApiKey' });

export const createdApiKeyAnswer = z
  .strictObject({ ...changedApiKey, key: z.string().describe('The key. It is shown here only.') })
  .meta({ id: 'CreatedApiKey' });

export const keyAnswer = z
  .strictObject({
    kind: z.enum(['signing', 'master']),
    id: z.string().describe('The thumbprint (RFC 7638) of a signing key, the generation of a master key.'),
    kid: z.string().nullable().describe('`kid` of the tokens that it signs; null for a master key.'),
    state: z.enum(['current', 'pending', 'kept', 'retired', 'missing']),
    from: z.string().nullable().describe('When it began to be current, or will; null if unknown.'),
  })
  .meta({ id: 'Key', description: 'A key of the service, without key material.' });

export const clientExample = {
  clientId: 'platform',
  name: 'Automation platform',
  type: 'confidential',
  redirectUris: ['https://platform.example.com/oauth/callback'],
  scopes: ['listeners'],
  registeredAt: exampleTimes.before,
  secrets: [{ createdAt: exampleTimes.before, until: null }],
} as const;

export const apiKeyExample = {
  id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  name: 'erp',
  orgId: exampleIds.orgId,
  scopes: ['flows:publish'],
  createdAt: exampleTimes.before,
  expiresAt: null,
  lastUsedAt: exampleTimes.at,
  revokedAt: null,
  state: 'active',
} as const;
