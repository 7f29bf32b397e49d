import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { decryptValue, type EncryptedValue, encryptValue, type ValueOwner } from '../access/keys/encrypted-values.js';
import type { MasterKeys } from '../access/keys/master-keys.js';
import type { SigningSecret } from '../events/listener-events.js';
import type { ListenerDetails } from './listener.js';

type Derivation = Omit<SigningSecret, 'previous' | 'expiresAt'>;

/**
 * The secret that signs deliveries to a listener, in the format of Standard Webhooks: `whsec_` and the key in base64. It is derived, and
 * never stored; that of an agent, which the agent gave, is decrypted. Throws `UnknownKeyGeneration`.
 */
export const signingSecret = (
  keys: MasterKeys,
  listenerId: string,
  { keyGeneration, version, sealed }: Derivation,
): string =>
  sealed !== undefined
    ? decryptValue(keys, secretOwner(listenerId), { keyGeneration, sealed })
    : `whsec_${keys.derive(keyGeneration, 'listener-secret', listenerId, String(version)).toString('base64')}`;

/** Encrypts the secret that an agent gave for its listener. */
export const givenSecret = (keys: MasterKeys, listenerId: string, secret: string): EncryptedValue =>
  encryptValue(keys, secretOwner(listenerId), secret);

const secretOwner = (listenerId: string): ValueOwner => ({ purpose: 'listener-secret', owner: listenerId });

/** RFC 8410: what precedes the 32 bytes of an Ed25519 private key in PKCS #8. */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The Ed25519 private key of 32 bytes (RFC 8032). */
export const privateKeyOf = (seed: Buffer): KeyObject =>
  createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' });

/** Derives the private key beside a secret of a listener. It is never stored. Throws `UnknownKeyGeneration`. */
export const signingPrivateKey = (
  keys: MasterKeys,
  listenerId: string,
  { keyGeneration, version }: Derivation,
): KeyObject => privateKeyOf(keys.derive(keyGeneration, 'listener-private-key', listenerId, String(version)));

/** Public key in the format of Standard Webhooks: `whpk_` and 32 bytes in base64. */
export const publicKeyText = (privateKey: KeyObject): string =>
  `whpk_${createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')}`;

type Signed = Pick<ListenerDetails, 'listenerId' | 'secret'>;

/** Secret and public key of a listener, with one of which a receiver verifies. Throws `UnknownKeyGeneration`. */
export const verifyingKeys = (keys: MasterKeys, { listenerId, secret }: Signed) => ({
  signingSecret: signingSecret(keys, listenerId, secret),
  signingPublicKey: publicKeyText(signingPrivateKey(keys, listenerId, secret)),
});

/** The present derivation, and during an overlap the one before it. `now`: milliseconds since 1970. */
export const signingDerivations = ({ previous, ...present }: SigningSecret, now: number): readonly Derivation[] =>
  previous && now < Date.parse(previous.until) ? [present, previous] : [present];

/** The public keys that verify deliveries to a listener at this time. Throws `UnknownKeyGeneration`. */
export const publicKeysOf = (keys: MasterKeys, { listenerId, secret }: Signed, now: number) =>
  signingDerivations(secret, now).map((derivation, index) => ({
    publicKey: publicKeyText(signingPrivateKey(keys, listenerId, derivation)),
    version: derivation.version,
    until: index === 0 ? null : (secret.previous?.until ?? null),
  }));
