import type { MasterKeys } from '../access/keys/master-keys.js';
import type { SigningSecret } from '../events/listener-events.js';

/**
 * Derives the secret that signs deliveries to a listener, in the format of Standard Webhooks: `whsec_` and 32 bytes in
 * base64. It is never stored. Throws `UnknownKeyGeneration`.
 */
export const signingSecret = (
  keys: MasterKeys,
  listenerId: string,
  { keyGeneration, version }: Omit<SigningSecret, 'previous'>,
): string => `whsec_${keys.derive(keyGeneration, 'listener-secret', listenerId, String(version)).toString('base64')}`;
