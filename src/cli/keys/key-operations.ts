import { UnusableKeys } from '../../access/errors.js';
import { masterKeyFile, signingKeyFile } from '../../access/keys/service-keys.js';
import type { KeyOperations } from '../../admin/keys/operate-keys.js';
import type { Stores } from '../../service/stores/command-stores.js';
import type { CommandContext } from '../command-context.js';
import { masterKeysOf, signingKeysOf } from '../command-keys.js';

export type KeyKind = 'signing' | 'master';

/** The keys of the service. Throws `UnusableKeys` where there are none. */
export async function keysOf({ dataDirectory }: Pick<CommandContext, 'dataDirectory'>): Promise<KeyOperations['keys']> {
  const masterKeys = await masterKeysOf(dataDirectory);
  if (!masterKeys) throw new UnusableKeys('no master keys are configured: set MASTER_KEYS to the value of the service');
  return { masterKeys, signingKeys: await signingKeysOf(dataDirectory) };
}

export async function keyOperations(
  { dataDirectory, cause }: CommandContext,
  stores: Stores,
  kind: KeyKind,
): Promise<KeyOperations> {
  const given = (name: string) => process.env[name]?.trim() || undefined;
  const file =
    kind === 'signing'
      ? signingKeyFile({ signingKeys: given('SIGNING_KEYS') }, dataDirectory)
      : masterKeyFile({ masterKeys: given('MASTER_KEYS') }, dataDirectory);
  return { store: await stores.events(), keys: await keysOf({ dataDirectory }), file, cause, now: new Date() };
}
