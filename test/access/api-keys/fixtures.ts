import type { ApiKeyFacts } from '../../../src/access/api-keys/api-key.js';
import type { ApiKeyEvent } from '../../../src/events/api-key-events.js';

/** The time at which the keys of these tests were created, and times after it. */
export const created = new Date('2026-01-01T00:00:00.000Z');
export const later = (ms: number): Date => new Date(created.getTime() + ms);
export const hourMs = 3_600_000;

export const keyFacts: ApiKeyFacts = {
  apiKeyId: '0198c0de-0000-7000-8000-000000000001',
  name: 'erp',
  orgId: 'org-1',
  scopes: ['flows:publish'],
  hash: 'h'.repeat(43),
  createdAt: created.toISOString(),
  expiresAt: null,
  lastUsedAt: null,
};

export const keyCreated = (changes: Partial<ApiKeyFacts> = {}): ApiKeyEvent => ({
  type: 'ApiKeyCreated',
  data: { ...keyFacts, ...changes },
});

export const keyUsed = (at: Date, changes: Partial<ApiKeyFacts> = {}): ApiKeyEvent => ({
  type: 'ApiKeyUsed',
  data: { ...keyFacts, ...changes, lastUsedAt: at.toISOString() },
});

export const keyRevoked = (at: Date, changes: Partial<ApiKeyFacts> = {}): ApiKeyEvent => ({
  type: 'ApiKeyRevoked',
  data: { ...keyFacts, ...changes, revokedAt: at.toISOString() },
});
