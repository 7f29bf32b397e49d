import type { Logger } from 'pino';
import { z } from 'zod';
import type { AnswerOf } from '../../http/route-contract.js';
import { keyedMutex } from '../../kernel/keyed-mutex.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { RebuildCancelled } from '../../stores/read-model/errors.js';
import type { Projection } from '../../stores/read-model/projection.js';
import type { ReadModel } from '../../stores/read-model/read-model.js';
import type { RebuildClaim, RebuildProgress } from '../../stores/read-model/rebuilds.js';
import { countDifferences, type OnVerified, type ViewDifference, viewDifference } from './verify-views.js';

/** Further differences are only counted. */
const maxShown = 20;

/** `failed`: an error ended it; `stopped`: the instance was. */
export const verificationResult = z.strictObject({
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime(),
  outcome: z.enum(['matches', 'differs', 'cancelled', 'failed', 'stopped']),
  differences: z.int(),
  skipped: z.int().describe("Events that the view leaves out by an operator's decision."),
  first: z.array(viewDifference).describe('The first of them, at most 20.'),
  failure: z.string().nullable(),
});

export type Verification = AnswerOf<typeof verificationResult>;

/** Passes an empty read model without other users, then removes it. */
export type WithScratch = <Result>(work: (scratch: ReadModel) => Promise<Result>) => Promise<Result>;

export type BackgroundVerifications = {
  /**
   * Resolves once the view is claimed; progress and cancellation: `readModel.rebuilds`. Rejects with `RebuildUnderWay`
   * while any process rebuilds or verifies the view, and with the store's errors.
   */
  start: (projection: Projection) => Promise<void>;
  last: (projection: Projection) => Verification | undefined;
  stop: () => Promise<void>;
};

type VerificationDependencies = {
  store: EventStore;
  readModel: ReadModel;
  withScratch: WithScratch;
  log: Logger;
};

/** One at a time in each process, because each needs disk space and CPU time. */
export function backgroundVerifications(dependencies: VerificationDependencies): BackgroundVerifications {
  const { readModel, log } = dependencies;
  const inTurn = keyedMutex();
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  const results = new Map<string, Verification>();

  async function run(projection: Projection, claim: RebuildClaim): Promise<void> {
    const startedAt = new Date().toISOString();
    const progress = verificationProgress(claim, stopping.signal);
    let found: Found = { differences: 0, skipped: 0, first: [] };
    let ended: Pick<Verification, 'outcome' | 'failure'>;
    try {
      await progress.note();
      found = await inTurn('verification', () => verified(dependencies, projection, progress.onVerified));
      ended = { outcome: found.differences > 0 ? 'differs' : 'matches', failure: null };
    } catch (error) {
      ended = outcomeOf(error, stopping.signal);
      if (ended.outcome === 'failed')
        log.error({ err: error, projection: projection.name }, 'the view could not be verified');
    }
    await progress.stop();
    const result: Verification = { startedAt, endedAt: new Date().toISOString(), ...ended, ...found };
    results.set(projection.name, result);
    const { first, ...counts } = result;
    log.info({ projection: projection.name, ...counts }, 'the verification of the view has ended');
    // An unfinished rebuild is kept.
    await (claim.left ? claim.release() : claim.end()).catch(() => undefined); // else this holder soon counts as dead
  }

  return {
    async start(projection) {
      const ended = run(projection, await readModel.rebuilds.claim(projection));
      running.add(ended);
      void ended.then(() => running.delete(ended));
    },
    last: ({ name }) => results.get(name),
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

type Found = Pick<Verification, 'differences' | 'skipped' | 'first'>;

async function verified(
  { store, readModel, withScratch }: VerificationDependencies,
  projection: Projection,
  onVerified: (phase: 'folding' | 'comparing', view: string, done: number, total: number) => void,
): Promise<Found> {
  return withScratch(async (scratch) => {
    const first: ViewDifference[] = [];
    const views = { store, readModel, scratch, projections: [projection], onVerified };
    const counts = await countDifferences(views, (each) => first.length < maxShown && first.push(each));
    return { ...counts, first };
  });
}

function outcomeOf(error: unknown, stopping: AbortSignal): Pick<Verification, 'outcome' | 'failure'> {
  if (error instanceof RebuildCancelled) return { outcome: 'cancelled', failure: null };
  if (stopping.aborted) return { outcome: 'stopped', failure: null };
  return { outcome: 'failed', failure: error instanceof Error ? error.message : String(error) };
}

/** Also checks for a cancellation. */
const noteMs = 1_000;

type VerificationProgress = {
  /** Throws the error that ends the verification. */
  onVerified: OnVerified;
  /** Throws the errors of the claim's `note`. */
  note: () => Promise<void>;
  stop: () => Promise<void>;
};

function verificationProgress(claim: RebuildClaim, stopping: AbortSignal): VerificationProgress {
  let startedAt = performance.now();
  let progress: RebuildProgress = { phase: 'folding', events: 0, perSecond: 0, position: 0n, head: 0n };
  let failure: { error: unknown } | undefined;
  let noting: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    noting = noting
      .then(() => claim.note(progress))
      .catch((error: unknown) => {
        failure ??= { error };
      });
  }, noteMs);

  return {
    onVerified(phase, _, done, total) {
      stopping.throwIfAborted();
      if (failure) throw failure.error;
      if (phase !== progress.phase) startedAt = performance.now();
      const perSecond = Math.round((done * 1_000) / Math.max(1, performance.now() - startedAt));
      progress = { phase, events: done, perSecond, position: BigInt(done), head: BigInt(total) };
    },
    note: () => claim.note(progress),
    async stop() {
      clearInterval(timer);
      await noting;
    },
  };
}
