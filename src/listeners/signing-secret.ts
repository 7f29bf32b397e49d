import type { MasterKeys } from '../access/keys/master-keys.js';
import type { ListenerDetails } from './listener.js';

/**
 * Derives the secret that signs deliveries to a listener, in the format of Standard Webhooks: `whsec_` and 32 bytes in
 * base64. It is never stored. Throws `UnknownKeyGeneration`.
 */
export const signingSecret = (
  keys: MasterKeys,
  { listenerId, keyGeneration, secretVersion }: Pick<ListenerDetails, 'listenerId' | 'keyGeneration' | 'secretVersion'>,
): string =>
  `whsec_${keys.derive(keyGeneration, 'listener-secret', listenerId, String(secretVersion)).toString('base64')}`;
