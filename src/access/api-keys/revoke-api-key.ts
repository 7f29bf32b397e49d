import type { ApiKeyEvent } from '../../events/api-key-events.js';
import { type ApiKey, factsOf } from './api-key.js';

export type RevokeApiKey = { readonly now: Date };

/** Ends a key: it is refused from now on. Changes nothing if it is revoked already or does not exist. */
export const revokeApiKey = ({ now }: RevokeApiKey, key: ApiKey): ApiKeyEvent[] =>
  key.status === 'active' ? [{ type: 'ApiKeyRevoked', data: { ...factsOf(key), revokedAt: now.toISOString() } }] : [];
