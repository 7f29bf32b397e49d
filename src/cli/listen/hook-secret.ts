import { z } from 'zod';
import { normalisedHookUrl } from '../../registrations/listeners/hook-url.js';
import { listenerLifecycle, listenerStream } from '../../registrations/listeners/listener.js';
import { signingSecret } from '../../registrations/listeners/signing-secret.js';
import { holdsStore } from '../../service/stores/command-stores.js';
import { load } from '../../stores/event-store/handle.js';
import type { CommandContext } from '../command-context.js';
import { masterKeysOf } from '../command-keys.js';

/** Undefined where the secret cannot be known here. */
export type FindSecret = (body: string, hookUrl: string) => Promise<string | undefined>;

const delivery = z.object({ orgId: z.string() });

/**
 * The signing secret of a hook on this machine: the one given, else, beside the stores and the keys of the service that
 * sends, derived as the service derives it, from the listener that a delivery is for.
 */
export function secretFinder(context: CommandContext, given: string | undefined): FindSecret {
  if (given !== undefined) return async () => given;
  const { cluster, dataDirectory, withStores } = context;
  return async (body, hookUrl) => {
    const orgId = organisationIn(body);
    if (orgId === undefined || !(cluster || holdsStore(dataDirectory))) return undefined;
    const keys = await masterKeysOf(dataDirectory);
    if (keys === undefined) return undefined;
    const { state } = await withStores(async (stores) =>
      load(await stores.events(), listenerStream(orgId, normalisedHookUrl(hookUrl)), listenerLifecycle),
    );
    // Also of one that has just been removed: what was under way still arrives.
    return state.state === 'none' ? undefined : signingSecret(keys, state.registration);
  };
}

function organisationIn(body: string): string | undefined {
  try {
    return delivery.safeParse(JSON.parse(body)).data?.orgId;
  } catch {
    return undefined; // not a delivery of ours
  }
}
