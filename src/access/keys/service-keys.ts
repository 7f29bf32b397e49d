import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { developmentKeySetFiles, developmentMasterKeys, developmentSigningKeys } from './development-keys.js';
import { UnusableKeys } from './errors.js';
import { keptFile } from './kept-file.js';
import { readMasterKeys } from './master-key-settings.js';
import type { MasterKeys } from './master-keys.js';
import { readSigningKeys, type SigningKeys } from './signing-keys.js';

export type ServiceKeys = {
  readonly masterKeys: MasterKeys;
  readonly signingKeys: SigningKeys;
  /** Key by the name of the operator. */
  readonly adminKeys: ReadonlyMap<string, string>;
};

export type ConfiguredKeys = {
  /** JSON text or the name of a file; undefined: made in the data directory (development only). */
  readonly signingKeys: string | undefined;
  readonly masterKeys: string | undefined;
  /** Key by name; undefined: one is made in the data directory (development only). */
  readonly adminKeys: ReadonlyMap<string, string> | undefined;
};

/** Where development mode keeps its admin key, in the data directory. */
export const adminKeyFile = 'admin-key.txt';

/** All that development mode keeps secret in the data directory. Some may not be there. */
export const developmentKeyFiles: readonly string[] = [...Object.values(developmentKeySetFiles), adminKeyFile];

/** The keys that are configured; in development mode, what is not configured is made in the data directory. Throws `UnusableKeys`. */
export async function readKeys(
  { signingKeys, masterKeys, adminKeys }: ConfiguredKeys,
  { dataDirectory, mayMake }: { readonly dataDirectory: string; readonly mayMake: boolean },
): Promise<ServiceKeys> {
  const make = <Keys>(keys: (directory: string) => Promise<Keys>, what: string): Promise<Keys> => {
    if (!mayMake) throw new UnusableKeys(`no ${what} are configured`);
    return keys(dataDirectory);
  };
  return {
    signingKeys: await (signingKeys === undefined
      ? make(developmentSigningKeys, 'signing keys')
      : readSigningKeys(signingKeys)),
    masterKeys: await (masterKeys === undefined
      ? make(developmentMasterKeys, 'master keys')
      : readMasterKeys(masterKeys)),
    adminKeys: adminKeys ?? (mayMake ? await developmentAdminKey(dataDirectory) : new Map()),
  };
}

async function developmentAdminKey(directory: string): Promise<ReadonlyMap<string, string>> {
  const made = await keptFile(join(directory, adminKeyFile), () => `${randomBytes(24).toString('base64url')}\n`);
  return new Map([['admin', made.trim()]]);
}
