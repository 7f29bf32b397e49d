import { type Fingerprint, recordedSigningKey, requireSame } from '../../access/keys/recorded-keys.js';
import type { KeysEvent, RecordedKeys } from '../../events/key-events.js';
import { KeyStillNeeded, RotationUnderWay, UnknownKey } from './errors.js';

/** `keys`: with the new key. */
type RotateSigningKey = { keys: Fingerprint; thumbprint: string; now: Date };
type RotateMasterKey = {
  keys: Fingerprint;
  generation: string;
  derivesFrom: string;
  now: Date;
};

/** Throws `RotationUnderWay` if another key signs later, and `KeysDiffer` if the other keys are not the service's. */
export function rotateSigningKey(
  { keys, thumbprint, now }: RotateSigningKey,
  recorded: RecordedKeys,
): readonly KeysEvent[] {
  requireSame(keys, recorded, now);
  requireNoPending(recorded, { except: thumbprint, now });
  return [{ type: 'SigningKeyRotated', data: { ...withKeys(keys, recorded), thumbprint } }];
}

/** Throws `KeysDiffer` if the other keys are not the service's. */
export function rotateMasterKey(
  { keys, generation, derivesFrom, now }: RotateMasterKey,
  recorded: RecordedKeys,
): readonly KeysEvent[] {
  requireSame(keys, recorded, now);
  return [{ type: 'MasterKeyRotated', data: { ...withKeys(keys, recorded), generation, derivesFrom } }];
}

/** Throws `RotationUnderWay` if one of the keys begins to sign later. */
export function requireNoPending(
  { signingKeys, signsFrom }: Readonly<Pick<Fingerprint, 'signsFrom'>> & { signingKeys: readonly string[] },
  { except, now }: { except?: string; now: Date },
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
  thumbprint: string;
  tokenLifetimeMs: number;
  now: Date;
};

/**
 * A repeat changes nothing. Throws `KeyStillNeeded` while the key or a token that it signed is in use, and
 * `UnknownKey`.
 */
export function retireSigningKey(
  { thumbprint, tokenLifetimeMs, now }: RetireSigningKey,
  recorded: RecordedKeys,
): readonly KeysEvent[] {
  const { retired } = recorded;
  if (retired.signingKeys.includes(thumbprint)) return [];
  if (!recorded.signingKeys.includes(thumbprint)) throw new UnknownKey(`there is no signing key ${thumbprint}`);
  if (recordedSigningKey(recorded, now) === thumbprint)
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

/** Milliseconds since 1970; undefined if it never signed, or has no recorded successor. */
function endOfSigning(thumbprint: string, { signingKeys, signsFrom }: RecordedKeys, now: Date): number | undefined {
  const from = Date.parse(signsFrom[thumbprint] ?? new Date(0).toISOString());
  if (from > now.getTime()) return undefined;
  const later = signingKeys
    .map((each) => Date.parse(signsFrom[each] ?? ''))
    .filter((each) => each > from && each <= now.getTime());
  return later.length > 0 ? Math.min(...later) : undefined;
}

type RetireMasterKey = {
  generation: string;
  /** Current generation. */
  derivesFrom: string;
  /** Numbers of secrets in use. */
  derived: { listeners: number; sessions: number };
};

/**
 * A repeat changes nothing. Throws `KeyStillNeeded` while the key or a secret derived from it is in use, and
 * `UnknownKey`.
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
