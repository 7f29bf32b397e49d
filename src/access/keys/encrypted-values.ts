import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { MasterKeys } from './master-keys.js';

/** A value that others gave, encrypted under a key that is derived from the master key of this generation. */
export type EncryptedValue = { keyGeneration: string; sealed: string };

/** `purpose` and `owner` are part of the key: a value that is copied to another owner cannot be decrypted. */
export type ValueOwner = { purpose: string; owner: string };

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** Encrypts under the current master key. A rotation encrypts again; with its event an erasure removes the value. */
export function encryptValue(keys: MasterKeys, of: ValueOwner, text: string): EncryptedValue {
  const keyGeneration = keys.current;
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, keyOf(keys, keyGeneration, of), nonce);
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return { keyGeneration, sealed: Buffer.concat([nonce, encrypted, cipher.getAuthTag()]).toString('base64url') };
}

/** Throws `UnknownKeyGeneration`, and `Error` for a value that was changed or is another owner's. */
export function decryptValue(keys: MasterKeys, of: ValueOwner, { keyGeneration, sealed }: EncryptedValue): string {
  const bytes = Buffer.from(sealed, 'base64url');
  const decipher = createDecipheriv(algorithm, keyOf(keys, keyGeneration, of), bytes.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  const encrypted = bytes.subarray(nonceBytes, -tagBytes);
  return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString('utf8');
}

const keyOf = (keys: MasterKeys, generation: string, { purpose, owner }: ValueOwner): Buffer =>
  keys.derive(generation, 'encrypted-value', purpose, owner);
