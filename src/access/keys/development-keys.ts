import { join } from 'node:path';
import { generateMasterKeys, parseMasterKeys } from './master-key-settings.js';
import type { MasterKeys } from './master-keys.js';
import { readOrCreateFile } from './read-or-create-file.js';
import { generateSigningKeys, type SigningKeys, signingKeys } from './signing-keys.js';
import { nameSourceInErrors } from './text-or-file.js';

/** Their names in the data directory. */
export const developmentKeySetFiles = {
  signing: 'signing-keys.json',
  master: 'master-keys.txt',
  login: 'login-keys.json',
} as const;

/**
 * The keys of development mode, made in the data directory at the first start (each file 0600) and read again at the next.
 * Safe where two start at once. Throws `UnusableKeys` where a file has been damaged.
 */
export const developmentSigningKeys = (directory: string): Promise<SigningKeys> =>
  readOrCreateKeys(join(directory, developmentKeySetFiles.signing), generateSigningKeys, signingKeys);

export const developmentMasterKeys = (directory: string): Promise<MasterKeys> =>
  readOrCreateKeys(join(directory, developmentKeySetFiles.master), generateMasterKeys, parseMasterKeys);

/** What the built-in sign-in page signs its codes with: never the key of our access tokens. */
export const developmentLoginKeys = (directory: string): Promise<SigningKeys> =>
  readOrCreateKeys(join(directory, developmentKeySetFiles.login), generateSigningKeys, signingKeys);

const readOrCreateKeys = <Keys>(
  path: string,
  make: () => string,
  parse: (text: string) => Promise<Keys> | Keys,
): Promise<Keys> => nameSourceInErrors(path, async () => parse(await readOrCreateFile(path, make)));
