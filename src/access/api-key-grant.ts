import type { ApiKeyScope } from '../events/api-key-events.js';

/** What a verified API key permits. `orgId` null: for every organisation. */
export type ApiKeyGrant = {
  readonly apiKeyId: string;
  readonly orgId: string | null;
  readonly scopes: readonly ApiKeyScope[];
};

/** The actor in the history. */
export const actorOfApiKey = (apiKeyId: string): string => `api-key:${apiKeyId}`;
