import { watchFailures } from '../../kernel/failures.js';
import type { LeasedDelivery } from '../queue/leasing.js';
import { type AttemptsInFlight, checkSlowMs, slowAfterMs } from './attempts-in-flight.js';
import type { Deliver, WorkerState } from './deliver.js';
import type { GoneListeners } from './gone-listeners.js';
import { freeSlots, isShareUsedUp, leaseOrProbe, leaseRequest } from './lease-request.js';
import type { LocalOutage } from './outage/local-outage.js';
import type { OutcomeRecorder } from './outcome-recorder.js';
import type { SaturatedHosts } from './saturated-hosts.js';
import { wakeTimers } from './wake-timers.js';
import type { WorkerSettings } from './worker-settings.js';

export type LeaseLoop = {
  wake: () => void;
  leased: () => Promise<unknown>;
  endTimers: () => void;
  error: () => unknown;
};

type Parts = {
  state: Readonly<WorkerState>;
  hosts: SaturatedHosts;
  gone: GoneListeners;
  outage: LocalOutage;
  inFlight: AttemptsInFlight;
  recorder: OutcomeRecorder;
  deliver: Deliver;
};

/** Leases deliveries for free slots, one request at a time. */
export function leaseLoop(settings: WorkerSettings, parts: Parts): LeaseLoop {
  const { state, hosts, outage, inFlight, deliver } = parts;
  const { queue, gates, clock, log, limits } = settings;
  const failures = watchFailures(log, 'leasing deliveries');
  const timers = wakeTimers(wake, limits.pollMs);
  const slowAttempts = slowAttemptCheck(inFlight, wake);
  /** More deliveries may be due. */
  let limitReached = false;
  let leasing: Promise<unknown> | undefined;
  let wokenMeanwhile = false;

  function wake(): void {
    if (state.stopping) return;
    const delayMs = outage.probeInMs();
    if (leasing) wokenMeanwhile = true;
    else if (delayMs > 0) timers.wakeIn(delayMs);
    else if (freeSlots(limits, parts) > 0) leasing = lease();
    else limitReached = true; // lease again when a slot is released
  }

  async function fillSlots(): Promise<void> {
    wokenMeanwhile = false;
    const [seenAt, now] = [gates.moment(), clock()];
    const leased = await leaseOrProbe(queue, outage, leaseRequest(settings, parts, now));
    failures.recovered();
    const { deliveries, nextDueAt, saturatedHosts = [], isHeld = () => true } = leased;
    const openAt = Math.min(seenAt, leased.seenAt ?? seenAt);
    if (hosts.setSaturated(saturatedHosts)) wokenMeanwhile = true;
    limitReached = nextDueAt !== undefined && nextDueAt <= now;
    for (const delivery of deliveries) begin(delivery, openAt, isHeld);
    timers.wakeIn(Math.min(dueInMs(nextDueAt, clock()), outage.retryInMs() ?? timers.pollInMs()));
  }

  async function lease(): Promise<void> {
    timers.looked();
    try {
      await fillSlots();
    } catch (error) {
      timers.wakeIn(failures.record(error));
      wokenMeanwhile = false;
    } finally {
      leasing = undefined;
    }
    if (wokenMeanwhile) wake();
  }

  function begin(delivery: LeasedDelivery, seenAt: number, isHeld: () => boolean): void {
    inFlight.begin(delivery, performance.now());
    slowAttempts.check();
    void deliver(delivery, seenAt, isHeld).finally(() => {
      const wasInTheWay = limitReached || hosts.isAwaited(delivery) || isShareUsedUp(delivery, limits, inFlight);
      inFlight.end(delivery);
      if (wasInTheWay) timers.wakeSoon();
    });
  }

  return {
    wake,
    leased: () => Promise.resolve(leasing),
    endTimers() {
      timers.end();
      slowAttempts.end();
    },
    error: failures.current,
  };
}

const dueInMs = (nextDueAt = Number.POSITIVE_INFINITY, now: number): number => Math.max(0, nextDueAt - now);

/** Wakes the loop for the slots that slow attempts release. */
function slowAttemptCheck(inFlight: AttemptsInFlight, wake: () => void) {
  let timer: NodeJS.Timeout | undefined;
  const check = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      if (inFlight.size === 0) return;
      if (inFlight.releaseSlowSlots(performance.now() - slowAfterMs) > 0) wake();
      check();
    }, checkSlowMs).unref();
  };
  return { check, end: () => clearTimeout(timer) };
}
