import { isDeepStrictEqual } from 'node:util';
import { type KeysEvent, keysCodec } from '../../events/key-events.js';
import type { Cause } from '../../stores/event-store/codec.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { handle, type Lifecycle, load } from '../../stores/event-store/handle.js';
import { KeysDiffer } from './errors.js';
import type { MasterKeys } from './master-keys.js';
import type { SigningKeys } from './signing-keys.js';

/** Identifies the keys of an instance without revealing them. Instances with equal fingerprints have the same keys. */
export type Fingerprint = KeysEvent['data'];

/** The stream that records the fingerprints of the service's keys. */
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
 * Records the keys in use, if they differ from the recorded ones. Keys may be added, and a signing key may be removed once
 * another one signs. Throws `KeysDiffer` if a master key is missing or changed, or the recorded signer is missing.
 */
export function recordKeys(inUse: Fingerprint, recorded: Fingerprint | undefined): KeysEvent[] {
  if (isDeepStrictEqual(inUse, recorded)) return [];
  if (recorded) requireSame(inUse, recorded);
  return [{ type: 'KeysRecorded', data: inUse }];
}

/** Compares the keys of this instance with the recorded ones. Called at every start, before requests are served. */
export async function checkKeys(
  store: EventStore,
  inUse: Fingerprint,
  context: { readonly cause: Cause; readonly now: Date },
): Promise<void> {
  await handle(store, keysStream, keysLifecycle, (recorded) => recordKeys(inUse, recorded), context);
}

/**
 * Throws `KeysDiffer` unless the service has recorded the current master key. Called before a command derives a secret
 * that the service has to derive again.
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
        `the master key of generation ${generation} differs from the one that the service was started with`,
      );
    }
  }
  const [signer] = recorded.signingKeys;
  if (signer !== undefined && !inUse.signingKeys.includes(signer)) {
    throw new KeysDiffer(`the signing key with thumbprint ${signer} is missing: access tokens are signed with it`);
  }
}
