import { LRUCache } from 'lru-cache';
import type { MasterKeys } from '../../access/keys/master-keys.js';
import { signingSecret } from '../../registrations/listeners/signing-secret.js';
import type { PreviousSecret } from '../queue/delivery.js';
import type { LeasedDelivery } from '../queue/leasing.js';

/**
 * The secrets that a delivery is signed with at `now` (milliseconds since 1970): the listener's present one, and during an
 * overlap the one before it. Throws `UnknownKeyGeneration`.
 */
export type SecretsOf = (
  delivery: Pick<LeasedDelivery, 'listenerId' | 'keyGeneration' | 'secretVersion' | 'previousSecret'>,
  now: number,
) => readonly string[];

/** Derives secrets from the master keys, and caches the latest used ones: each costs an HMAC. */
export function derivedSecrets(masterKeys: MasterKeys, maxCached = 10_000): SecretsOf {
  const cached = new LRUCache<string, string>({ max: maxCached });

  function secretOf(listenerId: string, named: Pick<PreviousSecret, 'keyGeneration' | 'secretVersion'>): string {
    const name = `${listenerId}/${named.secretVersion}/${named.keyGeneration}`;
    const known = cached.get(name);
    if (known !== undefined) return known;
    const secret = signingSecret(masterKeys, { ...named, listenerId });
    cached.set(name, secret);
    return secret;
  }

  return ({ listenerId, keyGeneration, secretVersion, previousSecret }, now) => {
    const present = secretOf(listenerId, { keyGeneration, secretVersion });
    if (!previousSecret || now >= previousSecret.until) return [present];
    return [present, secretOf(listenerId, previousSecret)];
  };
}
