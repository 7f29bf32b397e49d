import { setTimeout as pause } from 'node:timers/promises';
import { AttemptsInFlight } from '../../queue/policy/fair-sharing.js';
import { attemptWith } from './attempt.js';
import { goneListeners } from './gone-listeners.js';
import { leaseLoop } from './lease-loop.js';
import { localOutage, type OutageStatus } from './outage/local-outage.js';
import { outcomeRecorder } from './outcome-recorder.js';
import { attemptInTurns } from './starts-in-turns.js';
import type { WorkerSettings } from './worker-settings.js';

export type WorkerStatus = {
  underWay: number;
  error: unknown;
  outage: OutageStatus | undefined;
};

export type Worker = {
  wake: () => void;
  /** Releases what has not ended after `timeoutMs`. */
  stop: (timeoutMs: number) => Promise<void>;
  status: () => WorkerStatus;
  /** No host has been reached for some time. */
  isCutOff: () => boolean;
};

/** Deliveries whose outcomes are not written in time are repeated. */
const drainMs = 5_000;

/** Leases deliveries as slots become free, attempts them concurrently, and records the outcomes. */
export function startWorker(settings: WorkerSettings): Worker {
  const { queue, network, limits, callbacks, clock, log } = settings;
  const state = { stopping: false, interrupted: false };
  const gone = goneListeners({ onGone: callbacks.onGone, log });
  const inFlight = new AttemptsInFlight({ maxSlow: 4 * limits.concurrency, perHost: limits.perHost });
  const recorder = outcomeRecorder({
    queue,
    log,
    clock,
    onTroubled: callbacks.onTroubled,
    onWaiting: () => loop.wake(),
    onAwaited: (listenerIds) => loop.leaseNextOf(listenerIds),
  });
  const outage = localOutage({
    log,
    namesResolvedAt: network.namesResolvedAt,
    inFlight: () => inFlight.slotsInUse,
    onShortage: network.closeIdle,
    onReached: () => loop.wake(),
  });
  const attempt = attemptInTurns(attemptWith(settings, { state, gone, outage, recorder }));
  const loop = leaseLoop(settings, { state, gone, outage, inFlight, recorder, attempt });

  function interrupt(): Promise<void> {
    state.interrupted = true;
    return network.destroy();
  }

  loop.wake();
  return {
    wake: loop.wake,
    async stop(timeoutMs) {
      state.stopping = true;
      gone.stop();
      loop.endTimers();
      const timeout = new AbortController();
      const atRest = loop.leased().then(() => inFlight.idle());
      await Promise.race([atRest, pause(timeoutMs, undefined, { signal: timeout.signal })]);
      timeout.abort();
      await interrupt();
      await inFlight.idle();
      const written = Promise.all([recorder.drained(), gone.atRest()]);
      await Promise.race([written, pause(drainMs, undefined, { ref: false })]);
    },
    isCutOff: outage.isCutOff,
    status: () => ({ underWay: inFlight.size, error: loop.error() ?? recorder.error(), outage: outage.status() }),
  };
}
