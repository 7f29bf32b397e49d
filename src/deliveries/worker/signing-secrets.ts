import type { KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { MasterKeys } from '../../access/keys/master-keys.js';
import { signingSecret } from '../../listeners/signing-secret.js';
import { signingKey } from '../posting/sign.js';
import type { PreviousSecret } from '../queue/delivery.js';
import type { LeasedDelivery } from '../queue/leasing.js';

/**
 * The keys that a delivery is signed with at `now` (milliseconds since 1970): the listener's present one, and during an
 * overlap the one before it. Throws `UnknownKeyGeneration`.
 */
export type SecretsOf = (
  delivery: Pick<LeasedDelivery, 'listenerId' | 'keyGeneration' | 'secretVersion' | 'previousSecret'>,
  now: number,
) => readonly KeyObject[];

/** Derives the keys from the master keys, and caches the latest used ones: each costs an HMAC, and a key object more than that. */
export function derivedSecrets(masterKeys: MasterKeys, maxCached = 10_000): SecretsOf {
  const cached = new LRUCache<string, KeyObject>({ max: maxCached });

  function keyOf(listenerId: string, named: Pick<PreviousSecret, 'keyGeneration' | 'secretVersion'>): KeyObject {
    const name = `${listenerId}/${named.secretVersion}/${named.keyGeneration}`;
    const known = cached.get(name);
    if (known !== undefined) return known;
    const key = signingKey(signingSecret(masterKeys, { ...named, listenerId }));
    cached.set(name, key);
    return key;
  }

  return ({ listenerId, keyGeneration, secretVersion, previousSecret }, now) => {
    const present = keyOf(listenerId, { keyGeneration, secretVersion });
    if (!previousSecret || now >= previousSecret.until) return [present];
    return [present, keyOf(listenerId, previousSecret)];
  };
}
