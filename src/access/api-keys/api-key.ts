import { type ApiKeyCreated, type ApiKeyEvent, apiKeyCodec } from '../../events/api-key-events.js';
import { InvalidRequest } from '../../kernel/domain-error.js';
import type { EventOf } from '../../stores/event-store/codec.js';
import type { Decider } from '../../stores/event-store/handle.js';

export type ApiKeyFacts = EventOf<typeof ApiKeyCreated>['data'];

export type ApiKey =
  | { status: 'none' }
  | ({ status: 'active' } & ApiKeyFacts)
  | ({ status: 'revoked'; revokedAt: string } & ApiKeyFacts);

export type ActiveApiKey = Extract<ApiKey, { status: 'active' }>;
export type ExistingApiKey = Exclude<ApiKey, { status: 'none' }>;

export const apiKeyDecider: Decider<ApiKey, ApiKeyEvent> = {
  codec: apiKeyCodec,
  initialState: () => ({ status: 'none' }),
  evolve(_, { type, data }) {
    if (type !== 'ApiKeyRevoked') return { status: 'active', ...factsOf(data) };
    return { status: 'revoked', ...factsOf(data), revokedAt: data.revokedAt };
  },
};

const factsOf = (from: ApiKeyFacts): ApiKeyFacts => ({
  apiKeyId: from.apiKeyId,
  name: from.name,
  orgId: from.orgId,
  scopes: from.scopes,
  hash: from.hash,
  createdAt: from.createdAt,
  expiresAt: from.expiresAt,
  lastUsedAt: from.lastUsedAt,
});

export const isExpired = ({ expiresAt }: Pick<ApiKeyFacts, 'expiresAt'>, now: Date): boolean =>
  expiresAt !== null && Date.parse(expiresAt) <= now.getTime();

export const apiKeyStream = (apiKeyId: string): string => `apiKey-${apiKeyId}`;

type CreateApiKey = Pick<ApiKeyFacts, 'apiKeyId' | 'name' | 'orgId' | 'scopes' | 'hash' | 'expiresAt'> & {
  now: Date;
};

/** Creates a key; an ID that is in use changes nothing. Throws `InvalidRequest` if the key would have expired already. */
export function createApiKey({ now, ...facts }: CreateApiKey, key: ApiKey): ApiKeyEvent[] {
  if (key.status !== 'none') return [];
  if (facts.expiresAt !== null && Date.parse(facts.expiresAt) <= now.getTime())
    throw new InvalidRequest('expiresAt must be in the future');
  const scopes = [...new Set(facts.scopes)];
  return [{ type: 'ApiKeyCreated', data: { ...facts, scopes, createdAt: now.toISOString(), lastUsedAt: null } }];
}

type RecordApiKeyUse = { now: Date };

/** Often enough to find unused keys, and at most 24 events a day. */
const minIntervalMs = 3_600_000;

/** Records a use, unless one within the last hour is recorded, by this or another instance. */
export const recordApiKeyUse = ({ now }: RecordApiKeyUse, key: ApiKey): ApiKeyEvent[] =>
  key.status === 'active' && isDue(key, now)
    ? [{ type: 'ApiKeyUsed', data: { ...factsOf(key), lastUsedAt: now.toISOString() } }]
    : [];

export const isDue = ({ lastUsedAt }: { lastUsedAt: string | null }, now: Date): boolean =>
  lastUsedAt === null || now.getTime() - Date.parse(lastUsedAt) >= minIntervalMs;

type RevokeApiKey = { now: Date };

/** Changes nothing if the key is revoked already or does not exist. */
export const revokeApiKey = ({ now }: RevokeApiKey, key: ApiKey): ApiKeyEvent[] =>
  key.status === 'active' ? [{ type: 'ApiKeyRevoked', data: { ...factsOf(key), revokedAt: now.toISOString() } }] : [];
