import { join } from 'node:path';
import { keptFile } from './kept-file.js';
import { generateMasterKeys, parseMasterKeys } from './master-key-settings.js';
import type { MasterKeys } from './master-keys.js';
import { generateSigningKeys, type SigningKeys, signingKeys } from './signing-keys.js';
import { keysFrom } from './text-or-file.js';

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
  kept(join(directory, developmentKeySetFiles.signing), generateSigningKeys, signingKeys);

export const developmentMasterKeys = (directory: string): Promise<MasterKeys> =>
  kept(join(directory, developmentKeySetFiles.master), generateMasterKeys, parseMasterKeys);

/** What the built-in sign-in page signs its codes with: never the key of our access tokens. */
export const developmentLoginKeys = (directory: string): Promise<SigningKeys> =>
  kept(join(directory, developmentKeySetFiles.login), generateSigningKeys, signingKeys);

const kept = <Keys>(path: string, make: () => string, parse: (text: string) => Promise<Keys> | Keys): Promise<Keys> =>
  keysFrom(path, async () => parse(await keptFile(path, make)));
