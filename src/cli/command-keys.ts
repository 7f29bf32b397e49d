import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { developmentMasterKeys } from '../keys/development-keys.js';
import { readMasterKeys } from '../keys/master-key-settings.js';
import type { MasterKeys } from '../keys/master-keys.js';

/** The master keys of the service on this machine: its setting's, or those that development mode has made; undefined: none. */
export async function masterKeysOf(dataDirectory: string): Promise<MasterKeys | undefined> {
  const setting = process.env.MASTER_KEYS;
  if (setting) return readMasterKeys(setting);
  return existsSync(join(dataDirectory, 'master-keys.txt')) ? developmentMasterKeys(dataDirectory) : undefined;
}
