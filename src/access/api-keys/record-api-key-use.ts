import type { ApiKeyEvent } from '../../events/api-key-events.js';
import { type ApiKey, factsOf } from './api-key.js';

export type RecordApiKeyUse = { readonly now: Date };

/** Minimum time between two recorded uses of a key: often enough to find unused keys, and at most 24 events a day. */
const minIntervalMs = 3_600_000;

/** Records that the key was used, unless a use within the last hour is recorded: several instances do not repeat it. */
export const recordApiKeyUse = ({ now }: RecordApiKeyUse, key: ApiKey): ApiKeyEvent[] =>
  key.status === 'active' && isDue(key, now)
    ? [{ type: 'ApiKeyUsed', data: { ...factsOf(key), lastUsedAt: now.toISOString() } }]
    : [];

/** Whether a use at this time is to be recorded. */
export const isDue = ({ lastUsedAt }: { readonly lastUsedAt: string | null }, now: Date): boolean =>
  lastUsedAt === null || now.getTime() - Date.parse(lastUsedAt) >= minIntervalMs;
