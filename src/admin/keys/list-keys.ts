import { z } from 'zod';
import type { MasterKeys } from '../../access/keys/master-keys.js';
import type { SigningKeys } from '../../access/keys/signing-keys.js';
import type { RecordedKeys } from '../../events/key-events.js';

export const keyEntry = z
  .strictObject({
    kind: z.enum(['signing', 'master']),
    id: z.string().describe('The thumbprint (RFC 7638) of a signing key, the generation of a master key.'),
    kid: z.string().nullable().describe('`kid` of the tokens that it signs; null for a master key.'),
    /** `kept`: for earlier signatures or secrets; `retired`: to be removed here; `missing`: recorded, but not here. */
    state: z.enum(['current', 'pending', 'kept', 'retired', 'missing']),
    from: z.string().nullable().describe('Time from which it is current; null if unknown.'),
  })
  .meta({ id: 'Key', description: 'A key of the service, without key material.' });

export type KeyEntry = Readonly<z.output<typeof keyEntry>>;

export function listKeys(
  { signingKeys, masterKeys }: { signingKeys: SigningKeys; masterKeys: MasterKeys },
  recorded: RecordedKeys | undefined,
  now: Date,
): readonly KeyEntry[] {
  const stateOf = (isRetired: boolean, isCurrent: boolean, from: string | null): KeyEntry['state'] => {
    if (isRetired) return 'retired';
    if (isCurrent) return 'current';
    return from !== null && Date.parse(from) > now.getTime() ? 'pending' : 'kept';
  };
  const signer = signingKeys.signer().thumbprint;
  const signing = signingKeys.thumbprints.map((id, index): KeyEntry => {
    const from = signingKeys.signsFrom[id] ?? recorded?.signsFrom[id] ?? null;
    const isRetired = recorded?.retired.signingKeys.includes(id) === true;
    const kid = signingKeys.publicKeys.keys[index]?.kid ?? null;
    return { kind: 'signing', id, kid, state: stateOf(isRetired, id === signer, from), from };
  });
  const master = masterKeys.generations.map((id): KeyEntry => {
    const from = masterKeys.derivesFrom[id] ?? null;
    const isRetired = recorded?.retired.masterKeys.includes(id) === true;
    return { kind: 'master', id, kid: null, state: stateOf(isRetired, id === masterKeys.current, from), from };
  });
  const missing = (kind: KeyEntry['kind'], ids: readonly string[], here: readonly KeyEntry[]) =>
    ids
      .filter((id) => here.every((entry) => entry.id !== id))
      .map((id): KeyEntry => ({ kind, id, kid: null, state: 'missing', from: recorded?.signsFrom[id] ?? null }));
  return [
    ...signing,
    ...missing('signing', recorded?.signingKeys ?? [], signing),
    ...master,
    ...missing('master', Object.keys(recorded?.masterKeys ?? {}), master),
  ];
}
