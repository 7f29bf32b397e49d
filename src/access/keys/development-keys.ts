import { join } from 'node:path';
import { generateMasterKeys, parseMasterKeys } from './master-key-settings.js';
import type { MasterKeys } from './master-keys.js';
import { readOrCreateFile } from './read-or-create-file.js';
import { generateSigningKeys, type SigningKeys, signingKeys } from './signing-keys.js';
import { nameSourceInErrors } from './text-or-file.js';

/** File names in the data directory. */
export const developmentKeySetFiles = {
  signing: 'signing-keys.json',
  master: 'master-keys.txt',
  login: 'login-keys.json',
} as const;

/**
 * The keys of development mode: created in the data directory at the first start (file mode 0600), read at later starts.
 * Several processes may start at once. Throws `UnusableKeys` if a file is damaged.
 */
export const developmentSigningKeys = (directory: string): Promise<SigningKeys> =>
  readOrCreateKeys(join(directory, developmentKeySetFiles.signing), generateSigningKeys, signingKeys);

export const developmentMasterKeys = (directory: string): Promise<MasterKeys> =>
  readOrCreateKeys(join(directory, developmentKeySetFiles.master), generateMasterKeys, parseMasterKeys);

/** The keys that sign the codes of the built-in sign-in page; separate from the keys of access tokens. */
export const developmentLoginKeys = (directory: string): Promise<SigningKeys> =>
  readOrCreateKeys(join(directory, developmentKeySetFiles.login), generateSigningKeys, signingKeys);

const readOrCreateKeys = <Keys>(
  path: string,
  make: () => string,
  parse: (text: string) => Promise<Keys> | Keys,
): Promise<Keys> => nameSourceInErrors(path, async () => parse(await readOrCreateFile(path, make)));
