import { recordedSigner } from '../../access/keys/fingerprint.js';
import type { KeysEvent, RecordedKeys } from '../../events/key-events.js';
import { KeyStillNeeded, UnknownKey } from './errors.js';

export type RetireSigningKey = {
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

/** When the next key began to sign, in milliseconds since 1970; undefined if this one never signed, or long ago. */
function endOfSigning(thumbprint: string, { signingKeys, signsFrom }: RecordedKeys, now: Date): number | undefined {
  const from = Date.parse(signsFrom[thumbprint] ?? new Date(0).toISOString());
  if (from > now.getTime()) return undefined;
  const later = signingKeys
    .map((each) => Date.parse(signsFrom[each] ?? ''))
    .filter((each) => each > from && each <= now.getTime());
  return later.length > 0 ? Math.min(...later) : undefined;
}

export type RetireMasterKey = {
  readonly generation: string;
  /** The generation from which the instance derives new secrets. */
  readonly derivesFrom: string;
  /** What was derived from the key and is still in use. */
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
