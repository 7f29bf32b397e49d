import { type Fingerprint, recordedSigner, requireSame } from '../../access/keys/recorded-keys.js';
import type { KeysEvent, RecordedKeys } from '../../events/key-events.js';
import { KeyStillNeeded, RotationUnderWay, UnknownKey } from '../errors.js';

/** A key was added to the keys of an instance; `keys` is their fingerprint with it. */
type RotateSigningKey = { readonly keys: Fingerprint; readonly thumbprint: string; readonly now: Date };
type RotateMasterKey = {
  readonly keys: Fingerprint;
  readonly generation: string;
  /** ISO 8601. */
  readonly derivesFrom: string;
  readonly now: Date;
};

/**
 * Records a signing key that signs later. Throws `RotationUnderWay` if another one already does, and `KeysDiffer` if the other
 * keys are not those of the service.
 */
export function rotateSigningKey(
  { keys, thumbprint, now }: RotateSigningKey,
  recorded: RecordedKeys,
): readonly KeysEvent[] {
  requireSame(keys, recorded, now);
  requireNoPending(recorded, { except: thumbprint, now });
  return [{ type: 'SigningKeyRotated', data: { ...withKeys(keys, recorded), thumbprint } }];
}

/** As `rotateSigningKey`, for a master key. */
export function rotateMasterKey(
  { keys, generation, derivesFrom, now }: RotateMasterKey,
  recorded: RecordedKeys,
): readonly KeysEvent[] {
  requireSame(keys, recorded, now);
  return [{ type: 'MasterKeyRotated', data: { ...withKeys(keys, recorded), generation, derivesFrom } }];
}

/** Throws `RotationUnderWay` if one of the keys begins to sign later. */
export function requireNoPending(
  { signingKeys, signsFrom }: Readonly<Pick<Fingerprint, 'signsFrom'>> & { readonly signingKeys: readonly string[] },
  { except, now }: { readonly except?: string; readonly now: Date },
): void {
  const pending = signingKeys.find(
    (thumbprint) => thumbprint !== except && Date.parse(signsFrom[thumbprint] ?? '') > now.getTime(),
  );
  if (pending === undefined) return;
  throw new RotationUnderWay(
    `the signing key ${pending} is published and signs from ${signsFrom[pending]}: ` +
      'wait until then, or retire it first',
  );
}

const withKeys = ({ masterKeys, signingKeys, signsFrom }: Fingerprint, recorded: RecordedKeys): RecordedKeys => ({
  masterKeys: { ...recorded.masterKeys, ...masterKeys },
  signingKeys: [...new Set([...signingKeys, ...recorded.signingKeys])],
  signsFrom: { ...recorded.signsFrom, ...signsFrom },
  retired: recorded.retired,
});

type RetireSigningKey = {
  readonly thumbprint: string;
  /** Maximum time for which a token that the key has signed is accepted. */
  readonly tokenLifetimeMs: number;
  readonly now: Date;
};

/**
 * Takes a signing key off the record. Repeating it changes nothing. Throws `KeyStillNeeded` while the key signs or tokens that it
 * has signed may be valid, and `UnknownKey`.
 */
export function retireSigningKey(
  { thumbprint, tokenLifetimeMs, now }: RetireSigningKey,
  recorded: RecordedKeys,
): readonly KeysEvent[] {
  const { retired } = recorded;
  if (retired.signingKeys.includes(thumbprint)) return [];
  if (!recorded.signingKeys.includes(thumbprint)) throw new UnknownKey(`there is no signing key ${thumbprint}`);
  if (recordedSigner(recorded, now) === thumbprint)
    throw new KeyStillNeeded(`the signing key ${thumbprint} signs: rotate first, with flow-hooks keys rotate signing`);
  const neededUntil = (endOfSigning(thumbprint, recorded, now) ?? Number.NEGATIVE_INFINITY) + tokenLifetimeMs;
  if (now.getTime() < neededUntil) {
    throw new KeyStillNeeded(
      `access tokens signed with ${thumbprint} may be valid until ${new Date(neededUntil).toISOString()}`,
    );
  }
  const signingKeys = recorded.signingKeys.filter((each) => each !== thumbprint);
  const { [thumbprint]: _, ...signsFrom } = recorded.signsFrom;
  const data = {
    ...recorded,
    signingKeys,
    signsFrom,
    retired: { ...retired, signingKeys: [...retired.signingKeys, thumbprint] },
  };
  return [{ type: 'SigningKeyRetired', data: { ...data, thumbprint } }];
}

/** Time at which the next key began to sign, in milliseconds since 1970; undefined if this one never signed, or long ago. */
function endOfSigning(thumbprint: string, { signingKeys, signsFrom }: RecordedKeys, now: Date): number | undefined {
  const from = Date.parse(signsFrom[thumbprint] ?? new Date(0).toISOString());
  if (from > now.getTime()) return undefined;
  const later = signingKeys
    .map((each) => Date.parse(signsFrom[each] ?? ''))
    .filter((each) => each > from && each <= now.getTime());
  return later.length > 0 ? Math.min(...later) : undefined;
}

type RetireMasterKey = {
  readonly generation: string;
  /** The generation from which the instance derives new secrets. */
  readonly derivesFrom: string;
  /** Numbers of secrets that were derived from the key and are in use. */
  readonly derived: { readonly listeners: number; readonly sessions: number };
};

/**
 * Takes a master key off the record. Repeating it changes nothing. Throws `KeyStillNeeded` while secrets are derived from the key,
 * or were and are in use, and `UnknownKey`.
 */
export function retireMasterKey(
  { generation, derivesFrom, derived }: RetireMasterKey,
  recorded: RecordedKeys,
): readonly KeysEvent[] {
  const { retired } = recorded;
  if (retired.masterKeys.includes(generation)) return [];
  const { [generation]: _, ...masterKeys } = recorded.masterKeys;
  if (!Object.hasOwn(recorded.masterKeys, generation))
    throw new UnknownKey(`there is no master key of generation ${generation}`);
  if (generation === derivesFrom) {
    throw new KeyStillNeeded(
      `secrets are derived from the master key of generation ${generation}: rotate first, with flow-hooks keys rotate master`,
    );
  }
  if (derived.listeners + derived.sessions > 0) {
    throw new KeyStillNeeded(
      `active secrets were derived from the master key of generation ${generation}: ` +
        `of listeners ${derived.listeners}, of sessions ${derived.sessions}`,
    );
  }
  const data = { ...recorded, masterKeys, retired: { ...retired, masterKeys: [...retired.masterKeys, generation] } };
  return [{ type: 'MasterKeyRetired', data: { ...data, generation } }];
}
