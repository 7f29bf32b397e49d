import { z } from 'zod';
import { normalisedHookUrl } from '../../listeners/hook-url.js';
import { listenerDecider, listenerStream } from '../../listeners/listener.js';
import { signingSecret } from '../../listeners/signing-secret.js';
import { holdsStore } from '../../service/stores/command-stores.js';
import { load } from '../../stores/event-store/handle.js';
import { masterKeysOf } from '../connection/keys-of-service.js';
import type { CommandContext } from '../context.js';

/** Finds the signing secret for a received delivery; undefined where it cannot be derived on this machine. */
type FindSecret = (body: string, hookUrl: string) => Promise<string | undefined>;

const delivery = z.object({ orgId: z.string() });

/**
 * Returns the given secret, or else derives it as the service does, from the delivery's listener and the master keys. This
 * needs the stores and the keys of the sending service.
 */
export function findSecretWith(local: CommandContext['local'], given: string | undefined): FindSecret {
  if (given !== undefined) return async () => given;
  const { cluster, dataDirectory, withEventStore } = local();
  return async (body, hookUrl) => {
    const orgId = organisationIn(body);
    if (orgId === undefined || !(cluster() || holdsStore(dataDirectory))) return undefined;
    const keys = await masterKeysOf(dataDirectory);
    if (keys === undefined) return undefined;
    const { state } = await withEventStore((store) =>
      load(store, listenerStream(orgId, normalisedHookUrl(hookUrl)), listenerDecider),
    );
    // Also for a removed listener: attempts in flight still arrive.
    if (state.state === 'none') return undefined;
    const { listenerId, secret } = state.details;
    return signingSecret(keys, listenerId, secret);
  };
}

function organisationIn(body: string): string | undefined {
  try {
    return delivery.safeParse(JSON.parse(body)).data?.orgId;
  } catch {
    return undefined; // not a delivery of ours
  }
}
