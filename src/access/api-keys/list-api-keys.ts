import { type ApiKeyEntry, apiKeys } from '../../../projections/api-keys.js';
import type { ReadModel } from '../../stores/read-model/read-model.js';
import { type ExistingApiKey, isExpired } from './api-key.js';

export type ApiKeyPage = {
  /** In the order of their creation. */
  readonly keys: readonly ApiKeyEntry[];
  /** `after` of the next page; undefined on the last page. */
  readonly next: string | undefined;
};

/**
 * The API keys of an organisation, without those for every organisation; `orgId` undefined: all. `limit` 1 to 1,000. Throws
 * `StoreUnavailable` if the view has not been built.
 */
export async function listApiKeys(
  readModel: ReadModel,
  orgId: string | undefined,
  { after, limit = 100 }: { readonly after?: string | undefined; readonly limit?: number | undefined } = {},
): Promise<ApiKeyPage> {
  const where = orgId === undefined ? {} : { orgId };
  const page = await readModel.find(apiKeys, { where, limit, ...(after !== undefined && { after }) });
  return {
    keys: page.map(({ document }) => document as ApiKeyEntry), // the projection wrote it
    next: page.length < limit ? undefined : page.at(-1)?.key,
  };
}

/** A listed key in the CLI's JSON and the admin API; its state is `expired` once it is. */
export function apiKeySummary({ apiKeyId, ...entry }: ApiKeyEntry, now: Date) {
  const state = entry.state === 'active' && isExpired(entry, now) ? ('expired' as const) : entry.state;
  return { id: apiKeyId, ...entry, state };
}

/** A key that was just created or revoked, with the types of the appended events in `changed`. */
export const changedApiKeySummary = (key: ExistingApiKey, events: readonly { readonly type: string }[]) => ({
  id: key.apiKeyId,
  name: key.name,
  orgId: key.orgId,
  scopes: key.scopes,
  state: key.status,
  createdAt: key.createdAt,
  expiresAt: key.expiresAt,
  lastUsedAt: key.lastUsedAt,
  revokedAt: key.status === 'revoked' ? key.revokedAt : null,
  changed: events.map(({ type }) => type),
});
