import { everyInterval } from '../../kernel/shared-interval.js';
import { watchTrouble } from '../../kernel/trouble.js';
import type { DeliveryQueue } from '../queue/delivery-queue.js';
import type { Enqueued, FanOutBatch, LeasedBatch, LeasedDelivery, LeaseRequest } from '../queue/leasing.js';
import type { AttemptsInFlight } from './attempts-in-flight.js';
import type { Deliver, WorkerState } from './deliver.js';
import type { GoneHooks } from './gone-hooks.js';
import type { SaturatedHosts } from './saturated-hosts.js';
import { wakeTimers } from './wake-timers.js';
import type { WorkerSettings } from './worker-settings.js';

/** Duration after which an attempt counts as slow and releases its slot. */
const slowAfterMs = 1_000;
/** Interval between checks for slow attempts. */
const checkSlowMs = 250;

export type LeaseLoop = {
  /** There may be something new to lease. */
  readonly wake: () => void;
  /** Enqueues a batch; if slots are free, it leases due deliveries in the same step, and starts their attempts. */
  readonly enqueueAndStart: DeliveryQueue['enqueue'];
  /** Resolves once no lease is being requested. */
  readonly leased: () => Promise<unknown>;
  readonly endTimers: () => void;
  /** What keeps the worker from leasing, if anything. */
  readonly error: () => unknown;
};

type Parts = {
  readonly state: Readonly<WorkerState>;
  readonly hosts: SaturatedHosts;
  readonly gone: GoneHooks;
  readonly inFlight: AttemptsInFlight;
  readonly deliver: Deliver;
};

/** Leases deliveries for free slots, one request at a time, and starts their attempts. */
export function leaseLoop(settings: WorkerSettings, { state, hosts, gone, inFlight, deliver }: Parts): LeaseLoop {
  const { queue, gates, clock, log, concurrency, leaseMs, pollMs } = settings;
  const trouble = watchTrouble(log, 'leasing deliveries');
  const timers = wakeTimers(wake);
  /** The last lease reached its limit, so more deliveries may be due. */
  let limitReached = false;
  let leasing: Promise<unknown> | undefined;
  let wokenMeanwhile = false;

  function wake(): void {
    if (state.stopping) return;
    if (leasing) wokenMeanwhile = true;
    else if (inFlight.slotsInUse < concurrency) leasing = lease();
    else limitReached = true; // lease again when a slot is released
  }

  function wakeIn(delayMs: number): void {
    if (state.stopping) timers.end();
    else timers.wakeIn(delayMs);
  }

  /** Requests deliveries for the free slots and starts their attempts. */
  async function fillSlots<Answer extends { readonly lease?: LeasedBatch }>(
    ask: (request: LeaseRequest) => Promise<Answer>,
  ): Promise<Answer> {
    wokenMeanwhile = false;
    const seenAt = gates.moment();
    const now = clock();
    const leaseExpiresAt = performance.now() + leaseMs;
    const answer = await ask(leaseRequest(settings, { hosts, gone, inFlight, now }));
    if (answer.lease) {
      trouble.over();
      const { deliveries, nextDueAt } = answer.lease;
      limitReached = nextDueAt !== undefined && nextDueAt <= now;
      for (const delivery of deliveries) begin(delivery, seenAt, leaseExpiresAt);
      if (nextDueAt !== undefined && nextDueAt - clock() < pollMs) wakeIn(Math.max(0, nextDueAt - clock()));
    }
    return answer;
  }

  async function lease(): Promise<void> {
    try {
      await fillSlots(async (request) => ({ lease: await queue.lease(request) }));
    } catch (error) {
      wakeIn(trouble.met(error));
      wokenMeanwhile = false;
    } finally {
      leasing = undefined;
    }
    if (wokenMeanwhile) wake();
  }

  async function enqueueAndLease(batch: FanOutBatch, now: number): Promise<Enqueued> {
    try {
      const enqueued = await fillSlots((request) => queue.enqueueAndLease(batch, now, request));
      if (mayBeDue(batch, enqueued) && !enqueued.lease) wokenMeanwhile = true;
      return enqueued;
    } finally {
      leasing = undefined;
      if (wokenMeanwhile) wake();
    }
  }

  function begin(delivery: LeasedDelivery, seenAt: number, leaseExpiresAt: number): void {
    const lease = inFlight.begin(delivery, leaseExpiresAt, performance.now());
    if (!lease) return;
    checkSlow();
    void deliver(delivery, seenAt, lease).finally(() => {
      const wasInTheWay = limitReached || hosts.isAwaited(delivery) || isShareUsedUp(delivery, settings, inFlight);
      inFlight.end(delivery);
      if (wasInTheWay) timers.wakeSoon();
    });
  }

  /** Checks for slow attempts as long as any attempt is in flight. */
  let checkingSlow: NodeJS.Timeout | undefined;
  function checkSlow(): void {
    checkingSlow ??= setTimeout(() => {
      checkingSlow = undefined;
      if (inFlight.size === 0) return;
      if (inFlight.releaseSlowSlots(performance.now() - slowAfterMs) > 0) wake();
      checkSlow();
    }, checkSlowMs).unref();
  }

  /** For deliveries that another process has enqueued. */
  const stopPolling = everyInterval(pollMs, () => {
    if (trouble.current() === undefined) wake();
  });

  return {
    wake,
    async enqueueAndStart(batch, now) {
      if (!state.stopping && !leasing && inFlight.slotsInUse < concurrency && onlyAdds(batch)) {
        const enqueued = enqueueAndLease(batch, now);
        leasing = enqueued.catch(() => undefined); // the caller gets the error
        return enqueued;
      }
      const enqueued = await queue.enqueue(batch, now);
      if (mayBeDue(batch, enqueued)) wake();
      return enqueued;
    },
    leased: () => Promise.resolve(leasing),
    endTimers() {
      timers.end();
      stopPolling();
      clearTimeout(checkingSlow);
    },
    error: trouble.current,
  };
}

function leaseRequest(
  { concurrency, perListener, perOrganisation, ratePerSecond, leaseMs }: WorkerSettings,
  { hosts, gone, inFlight, now }: Pick<Parts, 'hosts' | 'gone' | 'inFlight'> & { readonly now: number },
): LeaseRequest {
  const hookLimits = hosts.hookLimits();
  for (const listenerId of [...inFlight.hooksAtSlowLimit(), ...gone.listeners()]) hookLimits.set(listenerId, 0);
  return {
    limit: concurrency - inFlight.slotsInUse,
    perListener,
    perOrganisation,
    ratePerSecond,
    leaseMs,
    now,
    inFlightByHook: inFlight.attemptsByHook,
    inFlightByOrganisation: inFlight.slotsByOrganisation,
    hookLimits,
    hosts: hosts.room(),
  };
}

/** Whether a share may be used up, so that further due deliveries could not be leased. */
const isShareUsedUp = (
  { listenerId }: LeasedDelivery,
  { perListener, perOrganisation }: WorkerSettings,
  inFlight: AttemptsInFlight,
): boolean =>
  inFlight.slotsInUse >= Math.min(perListener, perOrganisation) || inFlight.countOf(listenerId) >= perListener;

/** Other batches may change any number of deliveries, which takes long; leasing goes on meanwhile. */
const onlyAdds = ({ hooks, ended, released = [], cancelledReplays = [] }: FanOutBatch): boolean =>
  ended.length + released.length + cancelledReplays.length === 0 && !hooks.some(({ paused }) => paused);

const mayBeDue = ({ released = [] }: FanOutBatch, { added }: Enqueued): boolean => added > 0 || released.length > 0;
