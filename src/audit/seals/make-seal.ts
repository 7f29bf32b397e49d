import { createHash } from 'node:crypto';
import { recordedSigningKeys } from '../../access/keys/recorded-keys.js';
import type { SigningKeys } from '../../access/keys/signing-keys.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { readIfExists } from '../../stores/event-store/read-if-exists.js';
import { SealRefused } from '../errors.js';
import { concurrently } from './concurrently.js';
import { type DigestLedger, openDigestLedger } from './digest-ledger.js';
import { draftSeal, lineOf, type SealStatement, signStatement } from './seal-file.js';
import { extended, type StreamDigest } from './stream-digest.js';

/** `service` has the signing keys on record, which make a seal trusted. */
const sealedCategories = [
  'listener',
  'integrationTask',
  'organisation',
  'forwarding',
  'session',
  'consent',
  'portal',
  'apiKey',
  'eventType',
  'service',
] as const;

/** Number of events read so far, and the most that there can be. */
export type OnRead = (done: bigint, most: bigint) => void;

type MakeSeal = {
  store: Pick<EventStore, 'streamNames' | 'readStream' | 'head'>;
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
    let read = 0n;
    const digestOf = async (stream: string) => {
      let digest: StreamDigest | undefined;
      for await (const event of readIfExists(store.readStream(stream))) {
        if (event.position > head) break;
        digest = extended(digest, event);
        read += 1n;
        onRead?.(read, head);
      }
      return { stream, digest };
    };
    const names = ledger.onlyNew(store.streamNames(sealedCategories));
    for await (const { stream, digest } of concurrently(names, digestOf)) if (digest) ledger.put(stream, digest);
    onRead?.(head, head);

    const hash = createHash('sha256');
    const counts = { streams: 0, events: 0 };
    for (const [stream, digest] of ledger.all()) {
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
