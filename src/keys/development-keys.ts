import { join } from 'node:path';
import { keptFile } from './kept-file.js';
import { generateMasterKeys, parseMasterKeys } from './master-key-settings.js';
import type { MasterKeys } from './master-keys.js';
import { generateSigningKeys, type SigningKeys, signingKeys } from './signing-keys.js';

/**
 * The keys of development mode, made in the data directory at the first start (each file 0600) and read again at the next.
 * Safe where two start at once. Throws `UnusableKeys` where a file has been damaged.
 */
export const developmentSigningKeys = async (directory: string): Promise<SigningKeys> =>
  signingKeys(await keptFile(join(directory, 'signing-keys.json'), generateSigningKeys));

export const developmentMasterKeys = async (directory: string): Promise<MasterKeys> =>
  parseMasterKeys(await keptFile(join(directory, 'master-keys.txt'), generateMasterKeys));

/** What the built-in sign-in page signs its codes with: never the key of our access tokens. */
export const developmentLoginKeys = async (directory: string): Promise<SigningKeys> =>
  signingKeys(await keptFile(join(directory, 'login-keys.json'), generateSigningKeys));
