import { isDeepStrictEqual } from 'node:util';
import { type KeysEvent, keysCodec, keysStream, type RecordedKeys } from '../../events/key-events.js';
import type { Cause } from '../../stores/event-store/codec.js';
import type { EventStore, StreamReader } from '../../stores/event-store/event-store.js';
import { type Decider, handle, load } from '../../stores/event-store/handle.js';
import { readIfExists } from '../../stores/event-store/read-if-exists.js';
import { KeysDiffer } from '../errors.js';
import type { MasterKeys } from './master-keys.js';
import type { SigningKeys } from './signing-keys.js';

/** Equal for instances with the same keys; reveals none. */
export type Fingerprint = Pick<RecordedKeys, 'masterKeys' | 'signingKeys' | 'signsFrom'> & {
  /** Thumbprint of the present signer, and generation for new secrets. */
  signer: string;
  derivesFrom: string;
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

const masterKeyFingerprints = (master: MasterKeys): Record<string, string> =>
  Object.fromEntries(
    master.generations.map((name) => [name, master.derive(name, 'key-fingerprint').toString('base64url')]),
  );

export function recordedSigningKey({ signingKeys, signsFrom }: RecordedKeys, now: Date): string | undefined {
  let signer = signingKeys.find((thumbprint) => signsFrom[thumbprint] === undefined) ?? signingKeys[0];
  let since = Number.NEGATIVE_INFINITY;
  for (const thumbprint of signingKeys) {
    const from = Date.parse(signsFrom[thumbprint] ?? '');
    if (!(from <= now.getTime() && from >= since)) continue;
    [signer, since] = [thumbprint, from];
  }
  return signer;
}

export type CompareKeys = (inUse: Fingerprint, recorded: RecordedKeys | undefined, now: Date) => readonly KeysEvent[];

/** Returns the recorded keys. Throws the errors of `compare`. */
export async function checkKeys(
  store: EventStore,
  inUse: Fingerprint,
  compare: CompareKeys,
  context: { cause: Cause; now: Date },
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
 * Throws `KeysDiffer` unless the current master key is recorded: required before a secret is derived that the service
 * has to derive again.
 */
export async function requireMasterKeyOfService(store: EventStore, master: MasterKeys): Promise<void> {
  const { state: recorded } = await load(store, keysStream, keysDecider);
  const { current } = master;
  const ours = master.derive(current, 'key-fingerprint').toString('base64url');
  if (recorded?.masterKeys[current] !== ours) {
    throw new KeysDiffer(`the service has no such master key of generation ${current}`);
  }
}

/**
 * Keys may be added, and a signing key may be removed once another one signs. Throws `KeysDiffer` if a master key is
 * missing or changed, or the recorded signer is missing.
 */
export function recordKeys(inUse: Fingerprint, recorded: RecordedKeys | undefined, now: Date): KeysEvent[] {
  const { masterKeys, signingKeys, signsFrom } = inUse;
  if (!recorded) {
    const retired = { masterKeys: [], signingKeys: [] };
    return [{ type: 'KeysRecorded', data: { masterKeys, signingKeys, signsFrom, retired } }];
  }
  requireSame(inUse, recorded, now);
  const data = withKeysOf(inUse, recorded, now);
  return isDeepStrictEqual(data, recorded) ? [] : [{ type: 'KeysRecorded', data }];
}

/**
 * Works as `recordKeys`, for keys read at run time. Throws `KeysDiffer` also if the present signer or generation is not recorded: other
 * instances would not know it yet.
 */
export function adoptKeys(inUse: Fingerprint, recorded: RecordedKeys | undefined, now: Date): KeysEvent[] {
  if (recorded && !recorded.signingKeys.includes(inUse.signer)) {
    throw new KeysDiffer(`the signing key with thumbprint ${inUse.signer} ${signsAtOnce}`);
  }
  requireKnownMasterKey(inUse, recorded);
  return recordKeys(inUse, recorded, now);
}

/** Works as `adoptKeys`, for master keys only; records nothing. */
export function requireAdoptableMasterKeys(master: MasterKeys, recorded: RecordedKeys | undefined): void {
  const inUse = { masterKeys: masterKeyFingerprints(master), derivesFrom: master.current };
  requireKnownMasterKey(inUse, recorded);
  if (recorded) requireSameMasterKeys(inUse, recorded);
}

const signsAtOnce =
  'is new and would be used at once, before other instances know it: add it with flow-hooks keys rotate, ' +
  'or restart this instance';

function requireKnownMasterKey(
  { derivesFrom }: Pick<Fingerprint, 'derivesFrom'>,
  recorded: RecordedKeys | undefined,
): void {
  if (recorded && recorded.masterKeys[derivesFrom] === undefined) {
    throw new KeysDiffer(`the master key of generation ${derivesFrom} ${signsAtOnce}`);
  }
}

/** Throws `KeysDiffer` if a recorded master key is missing or changed, or the recorded signer is missing. */
export function requireSame(inUse: Fingerprint, recorded: RecordedKeys, now: Date): void {
  requireSameMasterKeys(inUse, recorded);
  const signer = recordedSigningKey(recorded, now);
  if (signer !== undefined && !inUse.signingKeys.includes(signer)) {
    throw new KeysDiffer(`the signing key with thumbprint ${signer} is missing: access tokens are signed with it`);
  }
}

function requireSameMasterKeys(inUse: Pick<Fingerprint, 'masterKeys'>, recorded: RecordedKeys): void {
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
}

/**
 * Adds keys in use, without retired ones, which an outdated file may still contain. Keeps keys that sign later: not every instance has them
 * yet.
 */
function withKeysOf(inUse: Fingerprint, recorded: RecordedKeys, now: Date): RecordedKeys {
  const { retired } = recorded;
  const kept = Object.entries(inUse.masterKeys).filter(([name]) => !retired.masterKeys.includes(name));
  const here = inUse.signingKeys.filter((thumbprint) => !retired.signingKeys.includes(thumbprint));
  const pending = recorded.signingKeys.filter(
    (thumbprint) => !here.includes(thumbprint) && Date.parse(recorded.signsFrom[thumbprint] ?? '') > now.getTime(),
  );
  const signingKeys = [...here, ...pending];
  const signsFrom: Record<string, string> = {};
  for (const thumbprint of signingKeys) {
    // A new signer without its own time begins now.
    const begins = thumbprint === inUse.signer && thumbprint !== recordedSigningKey(recorded, now) ? now : undefined;
    const from = inUse.signsFrom[thumbprint] ?? recorded.signsFrom[thumbprint] ?? begins?.toISOString();
    if (from !== undefined) signsFrom[thumbprint] = from;
  }
  return { masterKeys: Object.fromEntries(kept), signingKeys, signsFrom, retired };
}

/** RFC 7638 thumbprints of all signing keys ever recorded, including retired ones. */
export async function recordedSigningKeys(store: StreamReader): Promise<ReadonlySet<string>> {
  const thumbprints = new Set<string>();
  for await (const event of readIfExists(store.readStream(keysStream))) {
    for (const thumbprint of keysCodec.decode(event).data.signingKeys) thumbprints.add(thumbprint);
  }
  return thumbprints;
}
