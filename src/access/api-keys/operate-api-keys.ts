import type { ApiKeyEvent } from '../../events/api-key-events.js';
import type { Cause } from '../../stores/event-store/codec.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { type Handled, handle } from '../../stores/event-store/handle.js';
import { type ApiKey, ApiKeyNotFound, apiKeyDecider, apiKeyStream, type ExistingApiKey } from './api-key.js';
import { generateApiKey, hashOfApiKey } from './api-key-text.js';
import type { ApiKeyRequest } from './contract.js';
import { createApiKey } from './create-api-key.js';
import { revokeApiKey } from './revoke-api-key.js';

type Context = { readonly cause: Cause; readonly now: Date };

/** Creates an API key. `text` is the key, which is stored nowhere. Throws `InvalidRequest`, and the errors of `handle`. */
export async function issueApiKey(
  store: EventStore,
  request: ApiKeyRequest,
  context: Context,
): Promise<{ readonly key: ExistingApiKey; readonly text: string }> {
  const { apiKeyId, text } = generateApiKey();
  const command = { ...request, apiKeyId, hash: hashOfApiKey(text), now: context.now };
  const { state } = await handle(
    store,
    apiKeyStream(apiKeyId),
    apiKeyDecider,
    (key) => createApiKey(command, key),
    context,
  );
  return { key: existing(apiKeyId, state), text };
}

/** Revokes an API key; a repeat changes nothing. Throws `ApiKeyNotFound`, and the errors of `handle`. */
export async function endApiKey(
  store: EventStore,
  apiKeyId: string,
  context: Context,
): Promise<{ readonly key: ExistingApiKey; readonly events: Handled<ApiKey, ApiKeyEvent>['events'] }> {
  const stream = apiKeyStream(apiKeyId);
  const { state, events } = await handle(store, stream, apiKeyDecider, (key) => revokeApiKey(context, key), context);
  return { key: existing(apiKeyId, state), events };
}

function existing(apiKeyId: string, key: ApiKey): ExistingApiKey {
  if (key.status === 'none') throw new ApiKeyNotFound(apiKeyId);
  return key;
}
