import type { MasterKeys } from '../../access/keys/master-keys.js';
import type { Registration } from './listener.js';

/**
 * The secret that deliveries to a listener are signed with, as Standard Webhooks writes it: `whsec_` and 32 bytes in
 * base64. Derived, never stored. Throws `UnknownKeyGeneration`.
 */
export const signingSecret = (
  keys: MasterKeys,
  { listenerId, keyGeneration, secretVersion }: Pick<Registration, 'listenerId' | 'keyGeneration' | 'secretVersion'>,
): string =>
  `whsec_${keys.derive(keyGeneration, 'listener-secret', listenerId, String(secretVersion)).toString('base64')}`;
