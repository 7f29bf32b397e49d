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

/** Derives secrets from the master keys, and remembers the `maxRemembered` that were used last: each costs an HMAC. */
export function derivedSecrets(masterKeys: MasterKeys, maxRemembered = 10_000): SecretsOf {
  const remembered = new Map<string, string>(); // once it is full, in the order of their last use

  function secretOf(listenerId: string, named: Pick<PreviousSecret, 'keyGeneration' | 'secretVersion'>): string {
    const name = `${listenerId}/${named.secretVersion}/${named.keyGeneration}`;
    const known = remembered.get(name);
    if (known !== undefined && remembered.size < maxRemembered) return known;
    const secret = known ?? signingSecret(masterKeys, { ...named, listenerId });
    remembered.delete(name);
    remembered.set(name, secret);
    if (remembered.size > maxRemembered) {
      const [oldest = name] = remembered.keys();
      remembered.delete(oldest);
    }
    return secret;
  }

  return ({ listenerId, keyGeneration, secretVersion, previousSecret }, now) => {
    const present = secretOf(listenerId, { keyGeneration, secretVersion });
    if (!previousSecret || now >= previousSecret.until) return [present];
    return [present, secretOf(listenerId, previousSecret)];
  };
}
