import { setTimeout as pause } from 'node:timers/promises';
import { watchFailures } from '../../kernel/failures.js';
import type { DeliveryQueue } from '../queue/delivery-queue.js';
import type { Enqueued, FanOutBatch, LeasedBatch, LeasedDelivery, LeaseRequest } from '../queue/leasing.js';
import { type AttemptsInFlight, checkSlowMs, slowAfterMs } from './attempts-in-flight.js';
import type { Deliver, WorkerState } from './deliver.js';
import type { GoneListeners } from './gone-listeners.js';
import { freeSlots, isShareUsedUp, leaseOrProbe, leaseRequest } from './lease-request.js';
import type { LocalOutage } from './outage/local-outage.js';
import type { OutcomeRecorder } from './outcome-recorder.js';
import type { SaturatedHosts } from './saturated-hosts.js';
import { wakeTimers } from './wake-timers.js';
import type { WorkerSettings } from './worker-settings.js';

/** Wait of an enqueue for a lease under way: leased in its own step, a delivery costs several times as much. */
const maxWaitMs = 100;

export type LeaseLoop = {
  wake: () => void;
  /** Leases in the same step if slots are free. */
  enqueueAndStart: DeliveryQueue['enqueue'];
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
  let enqueuesWaiting = 0;

  function wake(): void {
    if (state.stopping) return;
    const delayMs = outage.probeInMs();
    if (leasing) wokenMeanwhile = true;
    else if (delayMs > 0) timers.wakeIn(delayMs);
    else if (freeSlots(limits, parts) > 0) leasing = lease();
    else limitReached = true; // lease again when a slot is released
  }

  async function fillSlots<Answer extends { lease?: LeasedBatch }>(
    ask: (request: LeaseRequest) => Promise<Answer>,
  ): Promise<Answer> {
    wokenMeanwhile = false;
    const [seenAt, now] = [gates.moment(), clock()];
    const answer = await ask(leaseRequest(settings, parts, now));
    if (answer.lease) {
      failures.recovered();
      const { deliveries, nextDueAt, saturatedHosts = [], isHeld = () => true } = answer.lease;
      const openAt = Math.min(seenAt, answer.lease.seenAt ?? seenAt);
      if (hosts.setSaturated(saturatedHosts)) wokenMeanwhile = true;
      limitReached = nextDueAt !== undefined && nextDueAt <= now;
      for (const delivery of deliveries) begin(delivery, openAt, isHeld);
      timers.wakeIn(Math.min(dueInMs(nextDueAt, clock()), outage.retryInMs() ?? timers.pollInMs()));
    }
    return answer;
  }

  async function lease(): Promise<void> {
    timers.looked();
    try {
      await fillSlots(async (request) => ({ lease: await leaseOrProbe(queue, outage, request) }));
    } catch (error) {
      timers.wakeIn(failures.record(error));
      wokenMeanwhile = false;
    } finally {
      leasing = undefined;
    }
    if (wokenMeanwhile && enqueuesWaiting === 0) wake();
  }

  async function enqueueAndLease(batch: FanOutBatch, now: number): Promise<Enqueued> {
    try {
      const enqueued = await fillSlots((request) => queue.enqueue(batch, now, request));
      if (mayBeDue(batch, enqueued) && !enqueued.lease) wokenMeanwhile = true;
      return enqueued;
    } finally {
      leasing = undefined;
      if (wokenMeanwhile) wake();
    }
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
    async enqueueAndStart(batch, now) {
      if (leasing && onlyAdds(batch)) {
        enqueuesWaiting += 1;
        await endedSoon(leasing);
        enqueuesWaiting -= 1;
      }
      const isFree = !state.stopping && !leasing && !outage.isCurrent();
      if (isFree && freeSlots(limits, parts) > 0 && onlyAdds(batch)) {
        const enqueued = enqueueAndLease(batch, now);
        leasing = enqueued.catch(() => undefined); // the caller gets the error
        return enqueued;
      }
      const enqueued = await queue.enqueue(batch, now);
      if (mayBeDue(batch, enqueued) || wokenMeanwhile) wake();
      return enqueued;
    },
    leased: () => Promise.resolve(leasing),
    endTimers() {
      timers.end();
      slowAttempts.end();
    },
    error: failures.current,
  };
}

const endedSoon = (work: Promise<unknown>) => Promise.race([work, pause(maxWaitMs, undefined, { ref: false })]);

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

/** Other batches may change many deliveries, which takes long; leasing goes on meanwhile. */
const onlyAdds = ({ listeners, ended, released = [], cancelledReplays = [] }: FanOutBatch): boolean =>
  ended.length + released.length + cancelledReplays.length === 0 && !listeners.some(({ paused }) => paused);

const mayBeDue = ({ listeners, released = [] }: FanOutBatch, { added }: Enqueued): boolean =>
  added + released.length + listeners.length > 0;
