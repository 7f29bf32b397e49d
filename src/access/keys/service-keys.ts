import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { AdminKeys } from '../admin-keys.js';
import { UnusableKeys } from '../errors.js';
import { nameSourceInErrors, readOrCreateFile } from './key-files.js';
import { generateMasterKeys, isMasterKeys, type MasterKeys, parseMasterKeys, readMasterKeys } from './master-keys.js';
import { generateSigningKeys, isSigningKeys, readSigningKeys, type SigningKeys, signingKeys } from './signing-keys.js';

export type ServiceKeys = {
  masterKeys: MasterKeys;
  signingKeys: SigningKeys;
  adminKeys: AdminKeys;
};

/** JSON text or the path of a file; undefined: created in the data directory (development only). */
export type ConfiguredMasterKeys = { masterKeys: string | undefined };
type ConfiguredSigningKeys = { signingKeys: string | undefined };
type KeySetSettings = ConfiguredMasterKeys & ConfiguredSigningKeys;

export type ConfiguredKeys = KeySetSettings & {
  /** Undefined: created in the data directory (development only). */
  adminKeys: AdminKeys | undefined;
  adminKeyFile?: string;
};

export const developmentKeySetFiles = {
  signing: 'signing-keys.json',
  master: 'master-keys.txt',
  login: 'login-keys.json',
} as const;

const adminKeyFile = 'admin-key.txt';

/** Secrets of development mode; some may not exist. */
export const developmentKeyFiles: readonly string[] = [...Object.values(developmentKeySetFiles), adminKeyFile];

/** Undefined if the setting contains the keys. */
export function signingKeyFile({ signingKeys }: ConfiguredSigningKeys, dataDirectory: string) {
  if (signingKeys === undefined) return join(dataDirectory, developmentKeySetFiles.signing);
  return isSigningKeys(signingKeys) ? undefined : signingKeys;
}

export function masterKeyFile({ masterKeys }: ConfiguredMasterKeys, dataDirectory: string) {
  if (masterKeys === undefined) return join(dataDirectory, developmentKeySetFiles.master);
  return isMasterKeys(masterKeys) ? undefined : masterKeys;
}

export const keySetFilesOf = (settings: KeySetSettings, { dataDirectory }: { dataDirectory: string }) =>
  [signingKeyFile(settings, dataDirectory), masterKeyFile(settings, dataDirectory)].filter(
    (file) => file !== undefined,
  );

/** Some may not exist. */
export const keyFilesOf = (
  settings: KeySetSettings & { adminKeyFile?: string | undefined },
  { dataDirectory, mayMake }: KeyPlace,
): readonly string[] => {
  const generated = mayMake ? developmentKeyFiles.map((name) => join(dataDirectory, name)) : [];
  const configured = [...keySetFilesOf(settings, { dataDirectory }), settings.adminKeyFile].filter(
    (file) => file !== undefined,
  );
  return [...new Set([...configured, ...generated])];
};

type KeyPlace = { dataDirectory: string; mayMake: boolean };

/** Reads the keys; `mayMake` (development mode) creates missing ones in the data directory. Throws `UnusableKeys`. */
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

export const readServiceMasterKeys = async (
  { masterKeys }: ConfiguredMasterKeys,
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

async function developmentAdminKey(directory: string): Promise<AdminKeys> {
  const key = await readOrCreateFile(join(directory, adminKeyFile), () => `${randomBytes(24).toString('base64url')}\n`);
  return new Map([['admin', { key: key.trim(), role: 'owner' }]]);
}

/**
 * Created at the first start (file mode 0600); several processes may start at once. Throws `UnusableKeys` if a file is
 * damaged.
 */
export const developmentSigningKeys = (directory: string): Promise<SigningKeys> =>
  readOrCreateKeys(join(directory, developmentKeySetFiles.signing), generateSigningKeys, signingKeys);

export const developmentMasterKeys = (directory: string): Promise<MasterKeys> =>
  readOrCreateKeys(join(directory, developmentKeySetFiles.master), generateMasterKeys, parseMasterKeys);

/** Signs the codes of the built-in sign-in page; separate from the keys of access tokens. */
export const developmentLoginKeys = (directory: string): Promise<SigningKeys> =>
  readOrCreateKeys(join(directory, developmentKeySetFiles.login), generateSigningKeys, signingKeys);

const readOrCreateKeys = <Keys>(
  path: string,
  make: () => string,
  parse: (text: string) => Promise<Keys> | Keys,
): Promise<Keys> => nameSourceInErrors(path, async () => parse(await readOrCreateFile(path, make)));
