import { recordedSigningKeys } from '../../access/keys/recorded-keys.js';
import { actorOf, recordedAt } from '../../stores/event-store/codec.js';
import { erasureCodec, erasuresStream } from '../../stores/event-store/erasure-events.js';
import type { EventStore, StreamReader } from '../../stores/event-store/event-store.js';
import { readIfExists } from '../../stores/event-store/read-if-exists.js';
import { SealNotGenuine } from '../errors.js';
import { concurrently } from './concurrently.js';
import { type DigestLedger, openDigestLedger } from './digest-ledger.js';
import type { OnRead } from './make-seal.js';
import { openSeal, type SealReader, type SignedStatement, verifyStatement } from './seal-file.js';
import {
  extended,
  type FoundStream,
  type StreamDifference,
  type StreamDigest,
  streamDifference,
  strideOf,
} from './stream-digest.js';

type CheckSeal = {
  store: Pick<EventStore, 'streamNames' | 'readStream' | 'unexplainedEvents'>;
  path: string;
  name?: string;
  findErasure: FindErasure;
  /** The only trusted key; undefined: those in the store's events. */
  thumbprint?: string;
  onRead?: OnRead;
};

export type SealFinding =
  | ({ stream: string } & StreamDifference)
  /** An event that not every reader sees: `EventStore.unexplainedEvents`. */
  | { stream: string; kind: 'unexplained'; from: bigint; to: bigint }
  | { stream: string; kind: 'erased'; at: string; by: string | null };

export type CheckedSeal = {
  statement: SignedStatement;
  /** Findings by stream name, at most one for each. */
  findings: AsyncIterable<SealFinding>;
};

/** Tolerates clock skew, and an append in progress. */
const leewayMs = 600_000;

/**
 * Finds events changed, added or removed up to each stream's sealed revision, unsealed ones that claim to be older, and
 * those that only some readers see. Reads what a reader of the history reads, by the names of the streams.
 * Throws `SealNotGenuine`, and the store's errors.
 */
export async function checkSeal<Result>(
  { store, path, name = path, findErasure, thumbprint, onRead }: CheckSeal,
  work: (checked: CheckedSeal) => Promise<Result>,
): Promise<Result> {
  const seal = await openSeal(path, name);
  const ledgers = { sealed: openDigestLedger(), unexplained: openDigestLedger() };
  try {
    const statement = await verifyStatement(await seal.statement());
    await requireTrusted(statement, store, thumbprint);
    await readStreams(seal, statement, ledgers.sealed, name);
    for await (const { stream, revision } of store.unexplainedEvents(statement.categories)) {
      const first = ledgers.unexplained.find(stream)?.first ?? revision;
      ledgers.unexplained.put(stream, { first, last: first, events: 1, digest: '', marks: '' });
    }
    return await work({ statement, findings: findingsIn({ store, statement, findErasure, onRead }, ledgers) });
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
  /** Digest by stream of the first event that not every reader sees. */
  unexplained: DigestLedger;
};

type Check = Pick<CheckSeal, 'store' | 'findErasure' | 'onRead'> & { statement: SignedStatement };

async function* findingsIn(
  { store, statement, findErasure, onRead }: Check,
  { sealed, unexplained }: Ledgers,
): AsyncGenerator<SealFinding> {
  const before = Date.parse(statement.sealedAt) - leewayMs;
  let read = 0;

  async function differenceIn(stream: string, digest: StreamDigest | undefined): Promise<SealFinding | undefined> {
    const { found, added, events } = await readStream(store, stream, digest, before);
    read += events;
    onRead?.(BigInt(Math.min(read, statement.events)), BigInt(statement.events));
    const difference = (digest && streamDifference(digest, found)) ?? addition(added);
    const unexplained = takeUnexplained(stream);
    if (!difference) return unexplained;
    const erasure = digest && !unexplained && (await findErasure(stream));
    return erasure ? { stream, kind: 'erased', ...erasure } : { stream, ...difference };
  }

  function takeUnexplained(stream: string): SealFinding | undefined {
    const event = unexplained.find(stream);
    unexplained.remove(stream);
    return event && { stream, kind: 'unexplained', from: event.first, to: event.first };
  }

  async function* differencesIn(
    streams: AsyncIterable<readonly [string, StreamDigest?]> | Iterable<readonly [string, StreamDigest]>,
  ): AsyncGenerator<SealFinding> {
    const differences = concurrently(streams, ([stream, digest]) => differenceIn(stream, digest));
    for await (const difference of differences) if (difference) yield difference;
  }

  async function* unsealed(): AsyncGenerator<readonly [string]> {
    for await (const stream of sealed.onlyNew(store.streamNames(statement.categories)))
      if (!sealed.find(stream)) yield [stream];
  }

  yield* differencesIn(sealed.all());
  yield* differencesIn(unsealed());
  for (const [stream] of unexplained.all()) {
    const finding = takeUnexplained(stream);
    if (finding) yield finding;
  }
}

type ReadStream = {
  /** Up to the sealed revision. */
  found: FoundStream | undefined;
  /** Revision of the first unsealed event that claims to be older than the seal. */
  added: bigint | undefined;
  events: number;
};

/** `before`: milliseconds since 1970. */
async function readStream(
  store: CheckSeal['store'],
  stream: string,
  sealed: StreamDigest | undefined,
  before: number,
): Promise<ReadStream> {
  let found: FoundStream | undefined;
  let added: bigint | undefined;
  let events = 0;
  for await (const event of readIfExists(store.readStream(stream))) {
    events += 1;
    if (sealed && event.revision <= sealed.last) {
      const expected = found ? found.last + 1n : sealed.first;
      const gap = found?.gap ?? (event.revision > expected ? expected : undefined);
      found = { ...extended(found, event, strideOf(sealed.events)), gap };
    } else if (Date.parse(recordedAt(event)) < before) {
      added ??= event.revision;
    }
  }
  return { found, added, events };
}

const addition = (revision: bigint | undefined): StreamDifference | undefined =>
  revision === undefined ? undefined : { kind: 'added', from: revision, to: revision };

/** Distinguishes an erasure from tampering. */
type Erasure = {
  /** ISO 8601. */
  at: string;
  by: string | null;
};

/** Undefined: never erased. */
export type FindErasure = (stream: string) => Promise<Erasure | undefined>;

/** Reads the store once, at the first lookup. */
export function recordedErasures(store: StreamReader): FindErasure {
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
