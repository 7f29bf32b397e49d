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

type KeyPlace = { readonly dataDirectory: string; readonly mayMake: boolean };

/** The keys that are configured; in development mode, what is not configured is made in the data directory. Throws `UnusableKeys`. */
export async function readKeys(configured: ConfiguredKeys, place: KeyPlace): Promise<ServiceKeys> {
  const { signingKeys, adminKeys } = configured;
  return {
    signingKeys: await (signingKeys === undefined
      ? make(developmentSigningKeys, 'signing keys', place)
      : readSigningKeys(signingKeys)),
    masterKeys: await readServiceMasterKeys(configured, place),
    adminKeys: adminKeys ?? (place.mayMake ? await developmentAdminKey(place.dataDirectory) : new Map()),
  };
}

/** As `readKeys`, the master keys only. */
export const readServiceMasterKeys = async (
  { masterKeys }: Pick<ConfiguredKeys, 'masterKeys'>,
  place: KeyPlace,
): Promise<MasterKeys> =>
  masterKeys === undefined ? make(developmentMasterKeys, 'master keys', place) : readMasterKeys(masterKeys);

function make<Keys>(
  keys: (directory: string) => Promise<Keys>,
  what: string,
  { dataDirectory, mayMake }: KeyPlace,
): Promise<Keys> {
  if (!mayMake) throw new UnusableKeys(`no ${what} are configured`);
  return keys(dataDirectory);
}

async function developmentAdminKey(directory: string): Promise<ReadonlyMap<string, string>> {
  const made = await keptFile(join(directory, adminKeyFile), () => `${randomBytes(24).toString('base64url')}\n`);
  return new Map([['admin', made.trim()]]);
}
