import { recordedSigningKeys } from '../../../access/keys/recorded-keys.js';
import { actorOf, recordedAt } from '../../../stores/event-store/codec.js';
import { erasureCodec, erasuresStream } from '../../../stores/event-store/erasure-events.js';
import type { EventStore, RecordedEvent } from '../../../stores/event-store/event-store.js';
import { readIfExists } from '../../../stores/event-store/read-if-exists.js';
import { SealNotGenuine } from '../../errors.js';
import { type DigestLedger, openDigestLedger, withFirstRevisions } from './digest-ledger.js';
import type { OnRead } from './make-seal.js';
import { openSeal, type SealReader, type SignedStatement, verifyStatement } from './seal-file.js';
import { extended, type StreamDifference, type StreamDigest, streamDifference, strideOf } from './stream-digest.js';

type CheckSeal = {
  store: Pick<EventStore, 'readAll' | 'readStream' | 'head'>;
  path: string;
  name?: string;
  findErasure: FindErasure;
  /** The only trusted key; undefined: those in the store's events. */
  thumbprint?: string;
  onRead?: OnRead;
};

export type SealFinding =
  | ({ stream: string } & StreamDifference)
  | { stream: string; kind: 'erased'; at: string; by: string | null };

export type CheckedSeal = {
  statement: SignedStatement;
  /** By stream name, at most one for each. */
  findings: AsyncIterable<SealFinding>;
};

/** Tolerates clock skew, and an append in progress. */
const leewayMs = 600_000;

/**
 * Finds events changed, added or removed up to each stream's sealed revision, and unsealed ones that claim to be older.
 * Throws `SealNotGenuine`, and the store's errors.
 */
export async function checkSeal<Result>(
  { store, path, name = path, findErasure, thumbprint, onRead }: CheckSeal,
  work: (checked: CheckedSeal) => Promise<Result>,
): Promise<Result> {
  const seal = await openSeal(path, name);
  const ledgers: Ledgers = { sealed: openDigestLedger(), found: openDigestLedger(), added: openDigestLedger() };
  try {
    const statement = await verifyStatement(await seal.statement());
    await requireTrusted(statement, store, thumbprint);
    await readStreams(seal, statement, ledgers.sealed, name);
    const before = Date.parse(statement.sealedAt) - leewayMs;
    const head = await store.head();
    for await (const event of store.readAll({ filter: { categories: statement.categories } })) {
      note(event, ledgers, before);
      onRead?.(event.position, head);
    }
    onRead?.(head, head);
    return await work({ statement, findings: findingsIn(store, ledgers, findErasure) });
  } finally {
    for (const ledger of Object.values(ledgers)) ledger.close();
    await seal.close();
  }
}

async function requireTrusted(
  statement: SignedStatement,
  store: CheckSeal['store'],
  thumbprint: string | undefined,
): Promise<void> {
  if (thumbprint !== undefined) {
    if (statement.thumbprint === thumbprint) return;
    throw new SealNotGenuine(`the seal was signed with the key ${statement.thumbprint}, not with ${thumbprint}`);
  }
  if ((await recordedSigningKeys(store)).has(statement.thumbprint)) return;
  throw new SealNotGenuine(
    `the seal was signed with the key ${statement.thumbprint}, which is not recorded as a key of the service`,
  );
}

async function readStreams(
  seal: SealReader,
  { sha256 }: SignedStatement,
  ledger: DigestLedger,
  name: string,
): Promise<void> {
  for await (const [stream, digest] of seal.streams()) ledger.put(stream, digest);
  if (seal.sha256() !== sha256)
    throw new SealNotGenuine(`${name} has been changed: its streams do not match the signature`);
}

type Ledgers = {
  sealed: DigestLedger;
  found: DigestLedger;
  /** By stream: the first unsealed event that claims to be older than the seal. */
  added: DigestLedger;
};

/** `before`: milliseconds since 1970. */
function note(event: RecordedEvent, { sealed, found, added }: Ledgers, before: number): void {
  const { stream, revision } = event;
  const inSeal = sealed.find(stream);
  if (!inSeal || revision > inSeal.last) {
    const isBackdated = Date.parse(recordedAt(event)) < before;
    if (isBackdated && !added.find(stream)) added.put(stream, extended(undefined, event));
    return;
  }
  const soFar = found.find(stream);
  const expected = soFar ? soFar.last + 1n : inSeal.first;
  const gap = soFar?.gap ?? (revision > expected ? expected : undefined);
  found.put(stream, { ...extended(soFar, event, strideOf(inSeal.events)), gap });
}

async function* findingsIn(
  store: CheckSeal['store'],
  { sealed, found, added }: Ledgers,
  findErasure: FindErasure,
): AsyncGenerator<SealFinding> {
  for await (const { stream, digest, first } of withFirstRevisions(store, sealed.all())) {
    const difference =
      streamDifference(digest, found.find(stream)) ?? deletion(digest, first) ?? addition(added.find(stream));
    if (!difference) continue;
    const erasure = await findErasure(stream);
    yield erasure ? { stream, kind: 'erased', ...erasure } : { stream, ...difference };
  }
  for (const [stream, digest] of added.all()) {
    if (!sealed.find(stream)) yield { stream, kind: 'added', from: digest.first, to: digest.first };
  }
}

/** EventStoreDB returns deleted events in a read of all until a scavenge, but not in a read of the stream. */
function deletion({ first, last }: StreamDigest, now: bigint | undefined): StreamDifference | undefined {
  if (now !== undefined && now <= first) return undefined;
  return { kind: 'removed', from: first, to: now === undefined || now > last ? last : now - 1n };
}

const addition = (first: StreamDigest | undefined): StreamDifference | undefined =>
  first && { kind: 'added', from: first.first, to: first.first };

/** Distinguishes an erasure from tampering. */
type Erasure = {
  /** ISO 8601. */
  at: string;
  by: string | null;
};

/** Undefined: never erased. */
export type FindErasure = (stream: string) => Promise<Erasure | undefined>;

/** Reads the store once, at the first lookup. */
export function recordedErasures(store: Pick<EventStore, 'readStream'>): FindErasure {
  let erasures: Promise<ReadonlyMap<string, Erasure>> | undefined;

  async function read(): Promise<ReadonlyMap<string, Erasure>> {
    const found = new Map<string, Erasure>();
    for await (const recorded of readIfExists(store.readStream(erasuresStream))) {
      const event = erasureCodec.decode(recorded);
      if (event.type !== 'StreamsErased') continue;
      const erasure = { at: event.recordedAt, by: actorOf(event) };
      for (const { stream } of event.data.streams) found.set(stream, erasure);
    }
    return found;
  }

  return async (stream) => {
    erasures ??= read();
    return (await erasures).get(stream);
  };
}
