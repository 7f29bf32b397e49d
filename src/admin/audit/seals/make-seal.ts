import { createHash } from 'node:crypto';
import { recordedSigningKeys } from '../../../access/keys/recorded-keys.js';
import type { SigningKeys } from '../../../access/keys/signing-keys.js';
import type { EventStore } from '../../../stores/event-store/event-store.js';
import { SealRefused } from '../../errors.js';
import { type DigestLedger, openDigestLedger, withFirstRevisions } from './digest-ledger.js';
import { draftSeal, lineOf, type SealStatement, signStatement } from './seal-file.js';
import { extended } from './stream-digest.js';

/** `service` has the signing keys on record, which make a seal trusted. */
const sealedCategories = [
  'listener',
  'integrationTask',
  'organisation',
  'forwarding',
  'session',
  'consent',
  'apiKey',
  'eventType',
  'service',
] as const;

/** Store positions. */
export type OnRead = (position: bigint, head: bigint) => void;

type MakeSeal = {
  store: Pick<EventStore, 'readAll' | 'readStream' | 'head'>;
  signingKeys: SigningKeys;
  path: string;
  now: () => Date;
  onRead?: OnRead;
};

/**
 * Seals the streams up to the current head. Throws `SealRefused` where the signing key is not recorded or the file
 * cannot be written, and the store's errors.
 */
export async function makeSeal({ store, signingKeys, path, now, onRead }: MakeSeal): Promise<SealStatement> {
  const { thumbprint } = signingKeys.signer();
  if (!(await recordedSigningKeys(store)).has(thumbprint)) {
    throw new SealRefused(`the signing key with thumbprint ${thumbprint} is not recorded as a key of the service`);
  }
  const draft = await draftSeal(path);
  const ledger = openDigestLedger();
  try {
    const sealedAt = now().toISOString(); // before the head is read: the seal has all older events
    const head = await store.head();
    for await (const event of store.readAll({ filter: { categories: sealedCategories } })) {
      if (event.position > head) break;
      ledger.put(event.stream, extended(ledger.find(event.stream), event));
      onRead?.(event.position, head);
    }
    onRead?.(head, head);

    const hash = createHash('sha256');
    const counts = { streams: 0, events: 0 };
    for await (const { stream, digest, first } of withFirstRevisions(store, ledger.all())) {
      if (first === undefined) {
        ledger.remove(stream); // deleted, but not yet scavenged
        continue;
      }
      hash.update(lineOf(stream, digest));
      counts.streams += 1;
      counts.events += digest.events;
    }
    const statement = { sealedAt, categories: [...sealedCategories], ...counts, sha256: hash.digest('hex') };
    await draft.finish(await signStatement(statement, signingKeys), linesIn(ledger));
    return statement;
  } finally {
    ledger.close();
    await draft.close();
  }
}

function* linesIn(ledger: DigestLedger): Generator<string> {
  for (const [stream, digest] of ledger.all()) yield lineOf(stream, digest);
}
