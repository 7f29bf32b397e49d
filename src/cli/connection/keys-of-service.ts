import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UnusableKeys } from '../../access/errors.js';
import { type MasterKeys, readMasterKeys } from '../../access/keys/master-keys.js';
import {
  developmentKeySetFiles,
  developmentMasterKeys,
  developmentSigningKeys,
} from '../../access/keys/service-keys.js';
import { readSigningKeys, type SigningKeys } from '../../access/keys/signing-keys.js';

/** The master keys of `MASTER_KEYS`, or those that development mode generated; undefined where there are none. */
export async function masterKeysOf(dataDirectory: string): Promise<MasterKeys | undefined> {
  const setting = process.env.MASTER_KEYS;
  if (setting) return readMasterKeys(setting);
  return existsSync(join(dataDirectory, 'master-keys.txt')) ? developmentMasterKeys(dataDirectory) : undefined;
}

/**
 * The signing keys of `SIGNING_KEYS`, or those that development mode generated. Throws `UnusableKeys` where there are none.
 */
export async function signingKeysOf(dataDirectory: string): Promise<SigningKeys> {
  const setting = process.env.SIGNING_KEYS;
  if (setting) return readSigningKeys(setting);
  if (existsSync(join(dataDirectory, developmentKeySetFiles.signing))) return developmentSigningKeys(dataDirectory);
  throw new UnusableKeys('no signing keys are configured: set SIGNING_KEYS to the value that the service has');
}
