import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import type { SigningKeys } from '../../access/keys/signing-keys.js';
import { PayloadTooLarge, RequestTimeout } from '../../http/errors.js';
import type { AnswerOf } from '../../http/route-contract.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { SealWorkUnderWay } from '../errors.js';
import { type CheckedSeal, checkSeal, recordedErasures, type SealFinding } from './check-seal.js';
import { makeSeal } from './make-seal.js';
import type { SealStatement } from './seal-file.js';

export type SealDocument = {
  statement: SealStatement;
  bytes: number;
  /** Content of the file; its copy on disk is removed once it is read or destroyed. */
  content: Readable;
};

const text = z.string().nullable();

export const sealCheck = z
  .strictObject({
    sealedAt: z.iso.datetime(),
    streams: z.int(),
    events: z.int(),
    thumbprint: z.string().describe('RFC 7638, of the signing key.'),
    matches: z.boolean(),
    differences: z.int().describe('Number of streams that differ.'),
    erased: z.int().describe('Number of streams whose erasure is recorded, which are no difference.'),
    findings: z
      .array(
        z.strictObject({
          stream: z.string(),
          kind: z.enum(['changed', 'removed', 'added', 'unexplained', 'erased']),
          from: text.describe(
            'The first revision that differs is between this one and `to`; null if the stream was erased.',
          ),
          to: text,
          at: text.describe('Time at which the stream was erased; null if it was not.'),
          by: text,
        }),
      )
      .describe('The first findings by stream name, at most 100.'),
  })
  .meta({ id: 'SealCheck', description: 'The result of a comparison of the history with a seal.' });

export type SealCheck = AnswerOf<typeof sealCheck>;
export type ShownFinding = SealCheck['findings'][number];
/** The result without the findings, which come one after the other. */
export type SealSummary = Omit<SealCheck, 'findings'>;

export type Seals = {
  /** Rejects with `SealWorkUnderWay`, and the errors of `makeSeal`. */
  make: (signal: AbortSignal) => Promise<SealDocument>;
  /** Rejects with `SealWorkUnderWay`, `PayloadTooLarge`, `RequestTimeout`, and the errors of `checkSeal`. */
  check: (content: Readable, options: CheckOptions) => Promise<SealCheck>;
};

export type CheckOptions = {
  /** The only trusted key; undefined: the recorded ones. */
  thumbprint?: string;
  signal: AbortSignal;
};

/** 1.5 million streams; `flow-hooks audit check` takes more. */
const maxSealBytes = 256 * 1_048_576;
/** Time for `maxSealBytes` at about 2 MB/s. */
const uploadTimeoutMs = 120_000;
const maxShown = 100;

/** One at a time in each process, because each reads the whole sealed history; memory is constant. */
export function sealsOf({ store, signingKeys }: { store: EventStore; signingKeys: SigningKeys }): Seals {
  let isBusy = false;

  async function alone<Result>(work: (directory: string) => Promise<Result>): Promise<Result> {
    if (isBusy) throw new SealWorkUnderWay('a seal is being made or checked: try again when it has ended');
    isBusy = true;
    try {
      const directory = await mkdtemp(join(tmpdir(), 'flow-hooks-seal-'));
      return await work(directory).catch(async (error: unknown) => {
        await removed(directory);
        throw error;
      });
    } finally {
      isBusy = false;
    }
  }

  return {
    make: (signal) =>
      alone(async (directory) => {
        const path = join(directory, 'history.seal');
        const onRead = () => signal.throwIfAborted();
        const statement = await makeSeal({ store, signingKeys, path, now: () => new Date(), onRead });
        const { size } = await stat(path);
        const content = createReadStream(path).once('close', () => void removed(directory));
        return { statement, bytes: size, content };
      }),

    check: (content, { thumbprint, signal }) =>
      alone(async (directory) => {
        const path = join(directory, 'history.seal');
        await save(content, path, signal);
        const settings = { store, path, name: 'the seal', thumbprint, findErasure: recordedErasures(store) };
        const findings: ShownFinding[] = [];
        const checked = await checkSeal({ ...settings, onRead: () => signal.throwIfAborted() }, (seal) =>
          summaryOf(seal, (finding) => findings.length < maxShown && findings.push(finding)),
        );
        await removed(directory);
        return { ...checked, findings };
      }),
  };
}

/** The operating system removes leftovers. */
const removed = (directory: string): Promise<void> =>
  rm(directory, { recursive: true, force: true }).catch(() => undefined);

async function save(content: Readable, path: string, signal: AbortSignal): Promise<void> {
  let bytes = 0;
  const limited = new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length;
      if (bytes > maxSealBytes) done(new PayloadTooLarge(`the seal is over the limit of ${maxSealBytes} bytes`));
      else done(null, chunk);
    },
  });
  const timeout = AbortSignal.timeout(uploadTimeoutMs);
  try {
    await pipeline(content, limited, createWriteStream(path, { mode: 0o600 }), {
      signal: AbortSignal.any([signal, timeout]),
    });
  } catch (error) {
    throw timeout.aborted ? new RequestTimeout(`the seal did not arrive within ${uploadTimeoutMs / 1_000} s`) : error;
  }
}

/** The result without its findings, each of which `onFinding` gets. */
export async function summaryOf(
  { statement, findings }: CheckedSeal,
  onFinding: (finding: ShownFinding) => unknown,
): Promise<SealSummary> {
  const counts = { differences: 0, erased: 0 };
  for await (const finding of findings) {
    counts[finding.kind === 'erased' ? 'erased' : 'differences'] += 1;
    onFinding(shownOf(finding));
  }
  const { sealedAt, streams, events, thumbprint } = statement;
  return { sealedAt, streams, events, thumbprint, matches: counts.differences === 0, ...counts };
}

function shownOf(finding: SealFinding): ShownFinding {
  const { stream, kind } = finding;
  if (kind === 'erased') return { stream, kind, from: null, to: null, at: finding.at, by: finding.by };
  return { stream, kind, from: finding.from.toString(), to: finding.to.toString(), at: null, by: null };
}
