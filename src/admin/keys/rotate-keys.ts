import type { Fingerprint } from '../../access/keys/fingerprint.js';
import { requireSame } from '../../access/keys/record-keys.js';
import type { KeysEvent, RecordedKeys } from '../../events/key-events.js';
import { RotationUnderWay } from './errors.js';

/** A key was added to the keys of an instance; `keys` is their fingerprint with it. */
export type RotateSigningKey = { readonly keys: Fingerprint; readonly thumbprint: string; readonly now: Date };
export type RotateMasterKey = {
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
