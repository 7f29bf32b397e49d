import type { ApiKeyEvent } from '../../events/api-key-events.js';
import { InvalidRequest } from '../../kernel/domain-error.js';
import type { ApiKey, ApiKeyFacts } from './api-key.js';

export type CreateApiKey = Pick<ApiKeyFacts, 'apiKeyId' | 'name' | 'orgId' | 'scopes' | 'hash' | 'expiresAt'> & {
  readonly now: Date;
};

/** Creates a key; an ID that is in use changes nothing. Throws `InvalidRequest` if the key would have expired already. */
export function createApiKey({ now, ...facts }: CreateApiKey, key: ApiKey): ApiKeyEvent[] {
  if (key.status !== 'none') return [];
  if (facts.expiresAt !== null && Date.parse(facts.expiresAt) <= now.getTime())
    throw new InvalidRequest('expiresAt must be in the future');
  const scopes = [...new Set(facts.scopes)];
  return [{ type: 'ApiKeyCreated', data: { ...facts, scopes, createdAt: now.toISOString(), lastUsedAt: null } }];
}
