import { type ApiKeyCreated, type ApiKeyEvent, apiKeyCodec } from '../../events/api-key-events.js';
import { DomainError } from '../../kernel/domain-error.js';
import type { EventOf } from '../../stores/event-store/codec.js';
import type { Decider } from '../../stores/event-store/handle.js';

/** The data of every API key event: what the key is for, and its hash. */
export type ApiKeyFacts = EventOf<typeof ApiKeyCreated>['data'];

export type ApiKey =
  | { readonly status: 'none' }
  | ({ readonly status: 'active' } & ApiKeyFacts)
  | ({ readonly status: 'revoked'; readonly revokedAt: string } & ApiKeyFacts);

export type ActiveApiKey = Extract<ApiKey, { status: 'active' }>;
export type ExistingApiKey = Exclude<ApiKey, { status: 'none' }>;

/** There is no API key with this ID: it was never created, or was erased with its organisation. */
export class ApiKeyNotFound extends DomainError {
  readonly code = 'api_key_not_found';

  constructor(apiKeyId: string) {
    super(`there is no API key with the ID ${apiKeyId}`);
  }
}

export const apiKeyDecider: Decider<ApiKey, ApiKeyEvent> = {
  codec: apiKeyCodec,
  initialState: () => ({ status: 'none' }),
  evolve(_, { type, data }) {
    if (type !== 'ApiKeyRevoked') return { status: 'active', ...factsOf(data) };
    return { status: 'revoked', ...factsOf(data), revokedAt: data.revokedAt };
  },
};

export const factsOf = (from: ApiKeyFacts): ApiKeyFacts => ({
  apiKeyId: from.apiKeyId,
  name: from.name,
  orgId: from.orgId,
  scopes: from.scopes,
  hash: from.hash,
  createdAt: from.createdAt,
  expiresAt: from.expiresAt,
  lastUsedAt: from.lastUsedAt,
});

/** Whether the key was too old at this time. */
export const isExpired = ({ expiresAt }: Pick<ApiKeyFacts, 'expiresAt'>, now: Date): boolean =>
  expiresAt !== null && Date.parse(expiresAt) <= now.getTime();

export const apiKeyStream = (apiKeyId: string): string => `apiKey-${apiKeyId}`;
