import { type EventEmitter, once } from 'node:events';
import type { Logger } from 'pino';
import { type ReplayEntry, replays } from '../../../projections/replays.js';
import type { ReplayEvent } from '../../events/replay-events.js';
import { watchFailures } from '../../kernel/failures.js';
import { nextInterval } from '../../kernel/shared-interval.js';
import { abortedByAny, repeatUntilAborted, sleepUnlessAborted } from '../../kernel/unless-aborted.js';
import type { DeliveryQueue } from '../../queue/delivery-queue.js';
import type { ReaderPositions } from '../../queue/reader-positions.js';
import type { Cause } from '../../stores/event-store/codec.js';
import { handle, load } from '../../stores/event-store/handle.js';
import type { LeadershipLease, Leases } from '../../stores/leases/leases.js';
import type { ReadModel } from '../../views/read-model.js';
import { cancelReplay, completeReplay, progressReplay, type Replay, replayDecider, replayStream } from './replay.js';
import { type ReplayPorts, runReplay } from './run-replay.js';

export type ReplayRunner = ReplayPorts & {
  queue: ReaderPositions & Pick<DeliveryQueue, 'enqueue' | 'events' | 'withdraw'>;
  readModel: ReadModel;
  /** Resolves once the listeners view has reached this position; rejects when the signal aborts. */
  viewPassed: (position: bigint, signal: AbortSignal) => Promise<void>;
  leases: Leases;
  log: Logger;
  /** Emits an `event` for each one of any replay that this process reads. */
  replayEvents: EventEmitter;
  /** Interval of polls while a replay runs, or may have begun: the view may be behind its event. */
  pollMs?: number;
  /** Interval of polls otherwise. */
  idleMs?: number;
};

/** A view that is further behind is looked at after `idleMs`. */
const maxLagMs = 5_000;

/** The others wait in the order of their start. */
const maxConcurrent = { total: 50, perOrganisation: 5 };
/** The earliest running replays. */
const maxConsidered = 1_000;

type Running = { stop: () => void; ended: Promise<void> };

export function startReplayRunner(runner: ReplayRunner): { stop: () => Promise<void> } {
  const { readModel, leases, log, replayEvents, pollMs = 1_000, idleMs = 10 * pollMs } = runner;
  const failures = watchFailures(log, 'looking for replays');

  async function lead({ signal }: LeadershipLease): Promise<void> {
    const running = new Map<string, Running>();
    let eventAt = Number.NEGATIVE_INFINITY;
    const onEvent = () => {
      eventAt = performance.now();
    };
    replayEvents.on('event', onEvent);
    const look = async () => {
      const current = await runningReplays(readModel);
      stopOthers(running, new Set(current.map(({ replayId }) => replayId)));
      for (const entry of firstOfEach(current)) if (running.size < maxConcurrent.total) runOnce(running, entry);
      failures.recovered();
      const mayBegin = performance.now() - eventAt < maxLagMs;
      await nextLook(running.size > 0 || mayBegin ? pollMs : idleMs, signal);
    };
    await repeatUntilAborted(signal, look, failures.record);
    replayEvents.off('event', onEvent);
    stopOthers(running, new Set());
    await Promise.all([...running.values()].map(({ ended }) => ended));
  }

  async function nextLook(intervalMs: number, signal: AbortSignal): Promise<void> {
    const looking = new AbortController();
    const either = abortedByAny(signal, looking.signal);
    const event = once(replayEvents, 'event', { signal: either }).catch(() => undefined);
    await Promise.race([event, nextInterval(intervalMs, either)]);
    looking.abort();
  }

  function runOnce(running: Map<string, Running>, entry: ReplayEntry): void {
    const { replayId } = entry;
    if (running.has(replayId)) return;
    const stopping = new AbortController();
    const ended = runUntilItEnds(runner, entry, stopping.signal).finally(() => running.delete(replayId));
    running.set(replayId, { stop: () => stopping.abort(), ended });
  }

  return leases.hold('replays', lead);
}

function stopOthers(running: ReadonlyMap<string, Running>, current: ReadonlySet<string>): void {
  for (const [replayId, { stop }] of running) if (!current.has(replayId)) stop();
}

async function runningReplays(readModel: ReadModel): Promise<readonly ReplayEntry[]> {
  if ((await readModel.live(replays)) === undefined) return []; // the first build is not finished
  const found = await readModel.find(replays, { where: { state: 'running' }, limit: maxConsidered });
  return found.map(({ document }) => document as ReplayEntry); // the projection wrote it
}

function firstOfEach(entries: readonly ReplayEntry[]): readonly ReplayEntry[] {
  const count = new Map<string, number>();
  return entries.filter(({ orgId }) => {
    const before = count.get(orgId) ?? 0;
    count.set(orgId, before + 1);
    return before < maxConcurrent.perOrganisation;
  });
}

/** Retries from the recorded progress. Never rejects. */
async function runUntilItEnds(runner: ReplayRunner, entry: ReplayEntry, signal: AbortSignal): Promise<void> {
  const failures = watchFailures(runner.log, `replay ${entry.replayId}`);
  while (!signal.aborted) {
    try {
      await runFromWhereItIs(runner, entry, signal);
      return;
    } catch (error) {
      if (!signal.aborted) await sleepUnlessAborted(failures.record(error), signal);
    }
  }
}

async function runFromWhereItIs(runner: ReplayRunner, entry: ReplayEntry, signal: AbortSignal): Promise<void> {
  const { store, queue, viewPassed, clock, log } = runner;
  const { replayId } = entry;
  const stream = replayStream(replayId);
  const cause: Cause = { actor: 'service', correlationId: replayId };
  const decide = (decision: (replay: Replay) => readonly ReplayEvent[]) =>
    handle(store, stream, replayDecider, decision, { cause, now: new Date(clock()) });

  const { state } = await load(store, stream, replayDecider); // the view of replays may lag
  if (state.state !== 'running') return;
  await viewPassed(BigInt(entry.position), signal); // a listener missing from a lagging view is not removed
  const { outcome, progress } = await runReplay(
    { ...runner, onProgress: async (progress) => void (await decide((now) => progressReplay(progress, now))) },
    state.replay,
    { startedAfter: BigInt(entry.position), signal },
  );
  if (outcome === 'completed') await decide((now) => completeReplay(progress, now));
  if (outcome === 'removed') {
    await decide((now) => cancelReplay({ replayId, reason: 'removed' }, now));
    await queue.withdraw({ replay: replayId });
  }
  if (outcome !== 'stopped') log.info({ replay: replayId, ...progress }, `replay ${outcome}`);
}
