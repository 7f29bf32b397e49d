import { z } from 'zod';
import { type ApiKeyEntry, apiKeys } from '../../../projections/api-keys.js';
import { type ApiKeyEvent, apiKeyScopes } from '../../events/api-key-events.js';
import { opaqueId, textForPeople } from '../../kernel/input/texts.js';
import type { Cause } from '../../stores/event-store/codec.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { type Handled, handle } from '../../stores/event-store/handle.js';
import { findPage } from '../../views/find-page.js';
import type { Query, ReadModel } from '../../views/read-model.js';
import { ApiKeyNotFound } from '../errors.js';
import { notReserved } from '../reserved-organisation.js';
import { hashOfSecret } from '../secret-hash.js';
import {
  type ApiKey,
  apiKeyDecider,
  apiKeyStream,
  createApiKey,
  type ExistingApiKey,
  isExpired,
  revokeApiKey,
} from './api-key.js';
import { generateApiKey } from './api-key-text.js';

const scope = z.enum(apiKeyScopes, { error: `must be some of ${apiKeyScopes.join(', ')}` });

export const apiKeyRequest = {
  name: textForPeople(128, 'must be a text'),
  /** Null: every organisation. No default: a key for all organisations must be requested. */
  orgId: opaqueId.nullable(),
  scopes: z.array(scope, { error: 'must be a list of scopes' }).min(1, { error: 'must name at least one scope' }),
  expiresAt: z.iso
    .datetime({ offset: true, error: 'must be a time such as 2026-01-31T12:00:00Z' })
    .transform((text) => new Date(text).toISOString())
    .nullable()
    .default(null),
};

const request = z.object(apiKeyRequest);
export type ApiKeyRequest = z.output<typeof request>;

type Context = { cause: Cause; now: Date };

/** Returns the key as `text`, which is stored nowhere. Throws `InvalidRequest`, `Forbidden`, and the errors of `handle`. */
export async function issueApiKey(
  store: EventStore,
  request: ApiKeyRequest,
  context: Context,
): Promise<{ key: ExistingApiKey; text: string }> {
  notReserved(request.orgId);
  const { apiKeyId, text } = generateApiKey();
  const command = { ...request, apiKeyId, hash: hashOfSecret(text), now: context.now };
  const { state } = await handle(
    store,
    apiKeyStream(apiKeyId),
    apiKeyDecider,
    (key) => createApiKey(command, key),
    context,
  );
  return { key: existing(apiKeyId, state), text };
}

/** A repeat changes nothing. Throws `ApiKeyNotFound`, and the errors of `handle`. */
export async function endApiKey(
  store: EventStore,
  apiKeyId: string,
  context: Context,
): Promise<{ key: ExistingApiKey; events: Handled<ApiKey, ApiKeyEvent>['events'] }> {
  const stream = apiKeyStream(apiKeyId);
  const { state, events } = await handle(store, stream, apiKeyDecider, (key) => revokeApiKey(context, key), context);
  return { key: existing(apiKeyId, state), events };
}

function existing(apiKeyId: string, key: ApiKey): ExistingApiKey {
  if (key.status === 'none') throw new ApiKeyNotFound(apiKeyId);
  return key;
}

type ApiKeyPage = {
  keys: readonly ApiKeyEntry[];
  next: string | undefined;
};

/**
 * Keys of an organisation, without those for every organisation; `orgId` undefined: all. `limit` 1 to 1,000. Throws
 * `StoreUnavailable` if the view has not been built.
 */
export async function listApiKeys(
  readModel: ReadModel,
  orgId: string | undefined,
  { after, limit = 100 }: { after?: string; limit?: number } = {},
): Promise<ApiKeyPage> {
  const where: Query['where'] = orgId === undefined ? {} : { orgId };
  const { items, next } = await findPage<ApiKeyEntry>(readModel, apiKeys, { where, limit, after });
  return { keys: items, next };
}

export function apiKeySummary({ apiKeyId, ...entry }: ApiKeyEntry, now: Date) {
  const state = entry.state === 'active' && isExpired(entry, now) ? ('expired' as const) : entry.state;
  return { id: apiKeyId, ...entry, state };
}

export const changedApiKeySummary = (key: ExistingApiKey, events: readonly { type: string }[]) => ({
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
