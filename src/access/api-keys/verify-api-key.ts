import { type Context, causeOf } from '../../http/context.js';
import { Unauthenticated } from '../../http/errors.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { handle, load } from '../../stores/event-store/handle.js';
import { type ApiKeyGrant, actorOfApiKey } from '../identity/caller.js';
import { hasHash } from '../secret-hash.js';
import { type ActiveApiKey, apiKeyDecider, apiKeyStream, isDue, isExpired, recordApiKeyUse } from './api-key.js';
import { apiKeyIdIn, looksLikeApiKey } from './api-key-text.js';

/**
 * Reads the key's stream, so that revocation takes effect at once on all instances; undefined if the token is no API
 * key. Throws `Unauthenticated`, and the store's errors. The use is recorded after the answer; a failure of that is
 * logged.
 */
type ApiKeyVerification = (ctx: Context, token: string) => Promise<ApiKeyGrant | undefined>;

export function apiKeyVerification(store: EventStore, now: () => Date): ApiKeyVerification {
  const recording = new Set<string>();

  async function recordUse({ state: request }: Context, apiKeyId: string): Promise<void> {
    if (recording.has(apiKeyId)) return;
    recording.add(apiKeyId);
    const command = { now: now() };
    const cause = causeOf(request, actorOfApiKey(apiKeyId));
    try {
      const stream = apiKeyStream(apiKeyId);
      await handle(store, stream, apiKeyDecider, (key) => recordApiKeyUse(command, key), { cause, ...command });
    } catch (error) {
      request.log.warn({ err: error, apiKeyId }, 'the use of an API key could not be recorded');
    } finally {
      recording.delete(apiKeyId);
    }
  }

  return async (ctx, token) => {
    if (!looksLikeApiKey(token)) return undefined;
    const key = await findApiKey(store, token, now());
    const { apiKeyId, orgId, scopes } = key;
    if (isDue(key, now())) ctx.res.once('close', () => void recordUse(ctx, apiKeyId));
    return { apiKeyId, orgId, scopes };
  };
}

/**
 * Throws `Unauthenticated` and the store's errors. Checks the secret first: a caller without it learns nothing about
 * the key.
 */
export async function findApiKey(store: EventStore, text: string, now: Date): Promise<ActiveApiKey> {
  const apiKeyId = apiKeyIdIn(text);
  const state = apiKeyId === undefined ? undefined : (await load(store, apiKeyStream(apiKeyId), apiKeyDecider)).state;
  if (state === undefined || state.status === 'none' || !hasHash(text, state.hash))
    throw new Unauthenticated('the API key is not valid');
  if (state.status === 'revoked') throw new Unauthenticated('the API key has been revoked');
  if (isExpired(state, now)) throw new Unauthenticated('the API key has expired');
  return state;
}
