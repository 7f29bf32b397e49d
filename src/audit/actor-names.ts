import { apiKeyDecider, apiKeyStream } from '../access/api-keys/api-key.js';
import { apiKeyOfActor } from '../access/identity/caller.js';
import { inBatches } from '../kernel/in-batches.js';
import { EventUndecodable } from '../stores/event-store/errors.js';
import type { StreamReader } from '../stores/event-store/event-store.js';
import { load } from '../stores/event-store/handle.js';

type Named = { actor: string | null; actorName: string | null };

/** The entries, with the names of the API keys that are actors. Throws the store's errors. */
export async function withActorNames<Entry extends Named>(
  store: StreamReader,
  entries: readonly Entry[],
): Promise<readonly Entry[]> {
  const actors = [...new Set(entries.map(({ actor }) => actor))];
  const names = new Map(await inBatches(actors, async (actor) => [actor, await nameOfActor(store, actor)] as const));
  return entries.map((entry) => ({ ...entry, actorName: names.get(entry.actor) ?? null }));
}

/** Null unless the actor is an API key that is known. */
export async function nameOfActor(store: StreamReader, actor: string | null): Promise<string | null> {
  const apiKeyId = actor === null ? undefined : apiKeyOfActor(actor);
  if (apiKeyId === undefined) return null;
  try {
    const { state: key } = await load(store, apiKeyStream(apiKeyId), apiKeyDecider);
    return key.status === 'none' ? null : key.name;
  } catch (error) {
    if (!(error instanceof EventUndecodable)) throw error;
    return null;
  }
}
