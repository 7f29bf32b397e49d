import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { developmentKeySetFiles, developmentMasterKeys, developmentSigningKeys } from './development-keys.js';
import { UnusableKeys } from './errors.js';
import { isMasterKeys, readMasterKeys } from './master-key-settings.js';
import type { MasterKeys } from './master-keys.js';
import { readOrCreateFile } from './read-or-create-file.js';
import { isSigningKeys, readSigningKeys, type SigningKeys } from './signing-keys.js';

export type ServiceKeys = {
  readonly masterKeys: MasterKeys;
  readonly signingKeys: SigningKeys;
  /** Admin keys by the name of the operator. */
  readonly adminKeys: ReadonlyMap<string, string>;
};

export type ConfiguredKeys = {
  /** JSON text or the name of a file; undefined: made in the data directory (development only). */
  readonly signingKeys: string | undefined;
  readonly masterKeys: string | undefined;
  /** Key by name; undefined: one is made in the data directory (development only). */
  readonly adminKeys: ReadonlyMap<string, string> | undefined;
};

/** The file in the data directory with the admin key of development mode. */
export const adminKeyFile = 'admin-key.txt';

/** The files in the data directory with secrets of development mode. Some may not exist. */
export const developmentKeyFiles: readonly string[] = [...Object.values(developmentKeySetFiles), adminKeyFile];

/** The files with secrets of this instance; values in the environment are none. Some may not exist. */
export function keyFilesOf(
  { signingKeys, masterKeys }: Pick<ConfiguredKeys, 'signingKeys' | 'masterKeys'>,
  { dataDirectory, mayMake }: KeyPlace,
): readonly string[] {
  const configured = [
    ...(signingKeys === undefined || isSigningKeys(signingKeys) ? [] : [signingKeys]),
    ...(masterKeys === undefined || isMasterKeys(masterKeys) ? [] : [masterKeys]),
  ];
  return mayMake ? [...configured, ...developmentKeyFiles.map((name) => join(dataDirectory, name))] : configured;
}

type KeyPlace = { readonly dataDirectory: string; readonly mayMake: boolean };

/**
 * Reads the configured keys. With `mayMake` (development mode), keys that are not configured are created in the data
 * directory. Throws `UnusableKeys`.
 */
export async function readKeys(configured: ConfiguredKeys, place: KeyPlace): Promise<ServiceKeys> {
  const { signingKeys, adminKeys } = configured;
  return {
    signingKeys: await (signingKeys === undefined
      ? readOrCreate(developmentSigningKeys, 'signing keys', place)
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
  masterKeys === undefined ? readOrCreate(developmentMasterKeys, 'master keys', place) : readMasterKeys(masterKeys);

function readOrCreate<Keys>(
  keys: (directory: string) => Promise<Keys>,
  name: string,
  { dataDirectory, mayMake }: KeyPlace,
): Promise<Keys> {
  if (!mayMake) throw new UnusableKeys(`no ${name} are configured`);
  return keys(dataDirectory);
}

async function developmentAdminKey(directory: string): Promise<ReadonlyMap<string, string>> {
  const key = await readOrCreateFile(join(directory, adminKeyFile), () => `${randomBytes(24).toString('base64url')}\n`);
  return new Map([['admin', key.trim()]]);
}
