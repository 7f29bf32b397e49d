import { z } from 'zod';
import type { AnswerOf } from '../http/route-contract.js';
import { mutex } from '../kernel/keyed-mutex.js';
import type { TaskLog } from '../kernel/log.js';
import type { EventStore } from '../stores/event-store/event-store.js';
import { RebuildCancelled } from '../views/errors.js';
import type { Projection } from '../views/projection.js';
import type { ReadModel } from '../views/read-model.js';
import type { RebuildClaim } from '../views/rebuilds.js';
import { countDifferences, type ViewDifference, viewDifference } from './verify-views.js';

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

export type ViewVerifications = {
  /**
   * Resolves once the view is claimed; progress and cancellation: `readModel.rebuilds`. Rejects with `RebuildUnderWay`
   * while any process rebuilds or verifies the view, and with the store's errors.
   */
  start: (projection: Projection) => Promise<void>;
  last: (projection: Projection) => Verification | undefined;
};

export type BackgroundVerifications = ViewVerifications & {
  stop: () => Promise<void>;
};

type Outcome = Pick<Verification, 'outcome' | 'failure'>;

type VerificationDependencies = {
  store: EventStore;
  readModel: ReadModel;
  withScratch: WithScratch;
  log: TaskLog;
};

/** One at a time in each process, because each needs disk space and CPU time. */
export function backgroundVerifications({
  store,
  readModel,
  withScratch,
  log,
}: VerificationDependencies): BackgroundVerifications {
  const inTurn = mutex();
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  const results = new Map<string, Verification>();

  async function run(projection: Projection, { left, recordProgress, release, end }: RebuildClaim): Promise<void> {
    const startedAt = new Date().toISOString();
    const { signal } = stopping;
    const first: ViewDifference[] = [];
    const onDifference = (each: ViewDifference) => first.length < maxShown && first.push(each);
    let counts = { differences: 0, skipped: 0 };
    let ended: Outcome;
    try {
      await recordProgress({ phase: 'folding', events: 0, perSecond: 0, position: 0n, head: 0n });
      counts = await inTurn(() =>
        withScratch((scratch) =>
          countDifferences({ store, readModel, scratch, projection, recordProgress, signal }, onDifference),
        ),
      );
      ended = { outcome: counts.differences > 0 ? 'differs' : 'matches', failure: null };
    } catch (error) {
      ended = outcomeOf(error, signal);
      first.length = 0;
      if (ended.outcome === 'failed')
        log.error({ err: error, projection: projection.name }, 'the view could not be verified');
    }
    const result: Verification = { startedAt, endedAt: new Date().toISOString(), ...ended, ...counts, first };
    results.set(projection.name, result);
    log.info({ projection: projection.name, ...ended, ...counts }, 'the verification of the view has ended');
    // An unfinished rebuild is kept.
    await (left ? release() : end()).catch(() => undefined); // else this holder soon counts as dead
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

function outcomeOf(error: unknown, stopping: AbortSignal): Outcome {
  if (error instanceof RebuildCancelled) return { outcome: 'cancelled', failure: null };
  if (stopping.aborted) return { outcome: 'stopped', failure: null };
  return { outcome: 'failed', failure: error instanceof Error ? error.message : String(error) };
}
