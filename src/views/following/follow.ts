import type { Logger } from 'pino';
import { nextInterval } from '../../kernel/shared-interval.js';
import { StoreUnavailable } from '../../kernel/store-errors.js';
import { abortedByAny, sleepUnlessAborted } from '../../kernel/unless-aborted.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { type HeldTerm, LeaseLost } from '../../stores/leases/leases.js';
import { recordDamage } from '../damage-events.js';
import { RebuildUnderWay, ViewSetAside } from '../errors.js';
import type { Follower } from '../follower.js';
import type { BuildName, Projection } from '../projection.js';
import type { ReadModel } from '../read-model.js';
import { rebuild } from '../rebuilding/rebuild.js';
import { applyEvents } from './apply-events.js';
import { dropUnusedBuilds } from './drop-unused-builds.js';
import { followedView } from './followed-view.js';
import { viewErrors } from './view-errors.js';

const defaultTimings = {
  /** Interval of checks if another process has pointed queries at another build; also checked after each batch of events. */
  pollMs: 2_000,
  /** Retention of a build after queries have left it, for readers. */
  graceMs: 5_000,
  /** Interval of checkpoint writes while no event concerns the view. */
  quietMs: 1_000,
  /** First pause after a failure; it doubles. */
  retryMs: 1_000,
  maxRetryMs: 60_000,
  /** Shorter while a store is down: the view should continue soon after it is back. */
  maxOutageRetryMs: 5_000,
  /** Interval of checks for builds of earlier versions, which are dropped after `idleVersionMs`. */
  versionsMs: 600_000,
  idleVersionMs: 24 * 3_600_000,
};

type FollowTimings = typeof defaultTimings;

export type Follow = {
  store: EventStore;
  readModel: ReadModel;
  projection: Projection;
  log: Logger;
  /** Once it is lost, nothing more is written. Absent for a single instance. */
  lease?: HeldTerm;
  timings?: Partial<FollowTimings>;
};

/**
 * Keeps the live build up to date until `stop`; builds it from the whole history first where this version has none. A
 * failure stops this view only, right before the event that it failed on.
 */
export function follow({ store, readModel, projection, log, lease, timings }: Follow): Follower {
  const times = { ...defaultTimings, ...timings };
  const { pollMs, graceMs, quietMs, retryMs, maxRetryMs, maxOutageRetryMs, versionsMs, idleVersionMs: idleMs } = times;
  const { name } = projection;
  const stopping = new AbortController();
  const errors = viewErrors({ readModel, projection, log, term: lease?.term, retryMs });
  const view = followedView(name, log, errors);
  const { progress } = view;
  const caughtUp = () => view.status().caughtUp;
  const droppingBeside = dropUnusedBuilds({ readModel, projection, log, idleMs, graceMs, versionsMs, caughtUp });

  async function firstBuild(): Promise<BuildName> {
    const { signal } = stopping;
    const underTerm = lease && { term: lease.term };
    const damaged = await readModel.setAside(projection);
    view.unbuilt(damaged);
    if (damaged) await recordDamage(store, { view: name, setAsideAs: damaged.as });
    const { build, events, seconds } = await rebuild({ store, readModel, projection, signal, ...underTerm });
    log.info({ projection: name, build, events, seconds }, 'the view has been built');
    return build;
  }

  /** Resolves once queries go to another build, or the signal aborts. */
  async function untilFlipped(build: BuildName, signal: AbortSignal, onUnchanged: () => Promise<void>): Promise<void> {
    while (await nextInterval(pollMs, signal)) {
      if ((await readModel.live(projection)) !== build) return;
      await onUnchanged();
    }
  }

  async function serve(build: BuildName): Promise<void> {
    const leaving = new AbortController();
    const leave = () => leaving.abort();
    const signal = abortedByAny(stopping.signal, leaving.signal);
    const outcomes = await Promise.allSettled([
      applyEvents({ store, readModel, projection, build, lease, signal, quietMs, progress }).finally(leave),
      untilFlipped(build, signal, droppingBeside(build)).finally(leave),
    ]);
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await serve((await readModel.live(projection)) ?? (await firstBuild()));
      } catch (error) {
        if (stopping.signal.aborted && (error === stopping.signal.reason || error instanceof LeaseLost)) return;
        if (error instanceof RebuildUnderWay) {
          await sleepUnlessAborted(pollMs, stopping.signal); // another process makes the first build
          continue;
        }
        if (error instanceof ViewSetAside) continue; // the read model does that a few times only
        const failuresBefore = view.failed(error);
        const most = error instanceof StoreUnavailable ? maxOutageRetryMs : maxRetryMs;
        const longest = Math.min(most, retryMs * 2 ** failuresBefore);
        await sleepUnlessAborted(longest * (0.5 + Math.random() / 2), stopping.signal);
      }
    }
  }

  const running = run();

  return {
    status: view.status,
    passed: view.passed,
    async stop() {
      stopping.abort();
      view.stop();
      await running;
      await errors.end();
    },
  };
}
