import { isDeepStrictEqual } from 'node:util';
import { type KeysEvent, keysCodec } from '../../events/key-events.js';
import type { Cause } from '../../stores/event-store/codec.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { handle, type Lifecycle, load } from '../../stores/event-store/handle.js';
import { KeysDiffer } from './errors.js';
import type { MasterKeys } from './master-keys.js';
import type { SigningKeys } from './signing-keys.js';

/** What tells whether two instances have the same keys, and gives none of them away. */
export type Fingerprint = KeysEvent['data'];

/** Where it is on record which keys the service has had. */
export const keysStream = 'service-keys';

export const keysLifecycle: Lifecycle<Fingerprint | undefined, KeysEvent> = {
  codec: keysCodec,
  initialState: () => undefined,
  evolve: (_, { data }) => data,
};

export const fingerprintOf = (master: MasterKeys, { thumbprints }: Pick<SigningKeys, 'thumbprints'>): Fingerprint => ({
  masterKeys: Object.fromEntries(
    master.generations.map((name) => [name, master.derive(name, 'key-fingerprint').toString('base64url')]),
  ),
  signingKeys: [...thumbprints],
});

/**
 * Records which keys are in use; nothing where they are the recorded ones. Keys may be added, and a signing key may go once
 * another one signs. Throws `KeysDiffer` where a master key is missing or changed, or the key that signs now is missing.
 */
export function recordKeys(inUse: Fingerprint, recorded: Fingerprint | undefined): KeysEvent[] {
  if (isDeepStrictEqual(inUse, recorded)) return [];
  if (recorded) requireSame(inUse, recorded);
  return [{ type: 'KeysRecorded', data: inUse }];
}

/** At every start, before anything is served: holds the keys of this instance against those of the service. */
export async function checkKeys(
  store: EventStore,
  inUse: Fingerprint,
  context: { readonly cause: Cause; readonly now: Date },
): Promise<void> {
  await handle(store, keysStream, keysLifecycle, (recorded) => recordKeys(inUse, recorded), context);
}

/**
 * Before a secret is made beside the service: throws `KeysDiffer` unless the service has the master key that it would be
 * derived under.
 */
export async function requireMasterKeyOfService(store: EventStore, master: MasterKeys): Promise<void> {
  const { state: recorded } = await load(store, keysStream, keysLifecycle);
  const ours = master.derive(master.current, 'key-fingerprint').toString('base64url');
  if (recorded?.masterKeys[master.current] !== ours) {
    throw new KeysDiffer(`the service has no such master key of generation ${master.current}`);
  }
}

function requireSame(inUse: Fingerprint, recorded: Fingerprint): void {
  for (const [generation, fingerprint] of Object.entries(recorded.masterKeys)) {
    const ours = inUse.masterKeys[generation];
    if (ours === undefined) {
      throw new KeysDiffer(`the master key of generation ${generation} is missing: secrets were derived from it`);
    }
    if (ours !== fingerprint) {
      throw new KeysDiffer(
        `the master key of generation ${generation} is another one than the service was started with`,
      );
    }
  }
  const [signer] = recorded.signingKeys;
  if (signer !== undefined && !inUse.signingKeys.includes(signer)) {
    throw new KeysDiffer(`the signing key with thumbprint ${signer} is missing: access tokens are signed with it`);
  }
}
