import { type KeysEvent, keysCodec, keysStream, type RecordedKeys } from '../../events/key-events.js';
import type { Cause } from '../../stores/event-store/codec.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { type Decider, handle, load } from '../../stores/event-store/handle.js';
import { KeysDiffer } from './errors.js';
import type { MasterKeys } from './master-keys.js';
import type { SigningKeys } from './signing-keys.js';

/** Identifies the keys of an instance without revealing them. Instances with equal fingerprints have the same keys. */
export type Fingerprint = Pick<RecordedKeys, 'masterKeys' | 'signingKeys' | 'signsFrom'> & {
  /** The thumbprint of the key that signs now, and the generation from which secrets are derived now. */
  readonly signer: string;
  readonly derivesFrom: string;
};

export const keysDecider: Decider<RecordedKeys | undefined, KeysEvent> = {
  codec: keysCodec,
  initialState: () => undefined,
  evolve: (_, { data: { masterKeys, signingKeys, signsFrom, retired } }) => ({
    masterKeys,
    signingKeys,
    signsFrom,
    retired,
  }),
};

export const fingerprintOf = (
  master: MasterKeys,
  { thumbprints, signsFrom, signer }: Pick<SigningKeys, 'thumbprints' | 'signsFrom' | 'signer'>,
): Fingerprint => ({
  masterKeys: masterKeyFingerprints(master),
  signingKeys: [...thumbprints],
  signsFrom: { ...signsFrom },
  signer: signer().thumbprint,
  derivesFrom: master.current,
});

/** By generation. */
export const masterKeyFingerprints = (master: MasterKeys): Record<string, string> =>
  Object.fromEntries(
    master.generations.map((name) => [name, master.derive(name, 'key-fingerprint').toString('base64url')]),
  );

/** The thumbprint of the recorded key that signs at a time. */
export function recordedSigner({ signingKeys, signsFrom }: RecordedKeys, now: Date): string | undefined {
  let signer = signingKeys.find((thumbprint) => signsFrom[thumbprint] === undefined) ?? signingKeys[0];
  let since = Number.NEGATIVE_INFINITY;
  for (const thumbprint of signingKeys) {
    const from = Date.parse(signsFrom[thumbprint] ?? '');
    if (!(from <= now.getTime() && from >= since)) continue;
    [signer, since] = [thumbprint, from];
  }
  return signer;
}

/** Compares the keys of an instance with the recorded ones, and decides what is recorded. */
export type CompareKeys = (inUse: Fingerprint, recorded: RecordedKeys | undefined, now: Date) => readonly KeysEvent[];

/** Compares the keys of this instance with the recorded ones, which it returns. Throws the errors of `compare`. */
export async function checkKeys(
  store: EventStore,
  inUse: Fingerprint,
  compare: CompareKeys,
  context: { readonly cause: Cause; readonly now: Date },
): Promise<RecordedKeys | undefined> {
  const { state } = await handle(
    store,
    keysStream,
    keysDecider,
    (recorded) => compare(inUse, recorded, context.now),
    context,
  );
  return state;
}

/**
 * Throws `KeysDiffer` unless the service has recorded the current master key. Called before a command derives a secret
 * that the service has to derive again.
 */
export async function requireMasterKeyOfService(store: EventStore, master: MasterKeys): Promise<void> {
  const { state: recorded } = await load(store, keysStream, keysDecider);
  const { current } = master;
  const ours = master.derive(current, 'key-fingerprint').toString('base64url');
  if (recorded?.masterKeys[current] !== ours) {
    throw new KeysDiffer(`the service has no such master key of generation ${current}`);
  }
}
