import { watchFailures } from '../../kernel/failures.js';
import { type LeasedBatch, type LeasedDelivery, type LeaseRequest, passingOver } from '../../queue/leasing.js';
import { addressOf } from '../../queue/listener-address.js';
import type { AttemptsInFlight } from '../../queue/policy/fair-sharing.js';
import type { Attempt, WorkerState } from './attempt.js';
import type { GoneListeners } from './gone-listeners.js';
import type { LocalOutage } from './outage/local-outage.js';
import type { OutcomeRecorder } from './outcome-recorder.js';
import { slowAttemptCheck, wakeTimers } from './wake-timers.js';
import type { WorkerSettings } from './worker-settings.js';

export type LeaseLoop = {
  wake: () => void;
  /** Leases the next deliveries of ordered listeners, whose outcomes are recorded. */
  leaseNextOf: (listenerIds: readonly string[]) => void;
  leased: () => Promise<unknown>;
  endTimers: () => void;
  error: () => unknown;
};

type Parts = {
  state: Readonly<WorkerState>;
  gone: Pick<GoneListeners, 'listeners'>;
  outage: LocalOutage;
  inFlight: AttemptsInFlight;
  recorder: Pick<OutcomeRecorder, 'unrecorded'>;
  attempt: Attempt;
};

/** Leases deliveries for free slots, one request at a time, and starts their attempts. */
export function leaseLoop(settings: WorkerSettings, parts: Parts): LeaseLoop {
  const { state, outage, inFlight, attempt } = parts;
  const { queue, gates, clock, log, limits } = settings;
  const failures = watchFailures(log, 'leasing deliveries');
  const timers = wakeTimers(wake, limits.pollMs);
  const slowAttempts = slowAttemptCheck(inFlight, wake);
  /** More deliveries may be due. */
  let limitReached = false;
  /** Hosts without a connection for all due deliveries, and those that have released one since the request. */
  let saturated: readonly string[] = [];
  const released = new Set<string>();
  let leasing: Promise<unknown> | undefined;
  let wokenMeanwhile = false;
  let nextOfMeanwhile: string[] = [];

  function wake(): void {
    if (state.stopping) return;
    const delayMs = outage.probeInMs();
    if (leasing) wokenMeanwhile = true;
    else if (delayMs > 0) timers.wakeIn(delayMs);
    else if (freeSlots(limits, parts) > 0) leasing = lease(fillSlots);
    else limitReached = true; // lease again when a slot is released
  }

  function leaseNextOf(listenerIds: readonly string[]): void {
    const mayLeaseNext = !state.stopping && !outage.isCurrent() && outage.failingListeners().length === 0;
    if (leasing) nextOfMeanwhile.push(...listenerIds);
    else if (mayLeaseNext && freeSlots(limits, parts) > 0) leasing = lease(() => leaseOnlyNextOf(listenerIds));
    else wake();
  }

  async function lease(some: () => Promise<void>): Promise<void> {
    try {
      await some();
    } catch (error) {
      timers.wakeIn(failures.record(error));
      wokenMeanwhile = false;
      nextOfMeanwhile = [];
    } finally {
      leasing = undefined;
    }
    if (nextOfMeanwhile.length > 0) leaseNextOf(nextOfMeanwhile.splice(0));
    if (wokenMeanwhile) wake();
  }

  async function leaseOnlyNextOf(listenerIds: readonly string[]): Promise<void> {
    const [seenAt, now] = [gates.moment(), clock()];
    const leased = await queue.lease({ ...leaseRequest(settings, parts, now), onlyNextOf: listenerIds });
    begin(leased, seenAt);
    if (leased.nextDueAt !== undefined) wokenMeanwhile = true;
  }

  async function fillSlots(): Promise<void> {
    timers.looked();
    wokenMeanwhile = false;
    released.clear();
    const [seenAt, now] = [gates.moment(), clock()];
    const leased = await leaseOrProbe(queue, outage, leaseRequest(settings, parts, now));
    failures.recovered();
    const { nextDueAt, saturatedHosts = [] } = leased;
    saturated = saturatedHosts;
    if (saturated.some((host) => released.has(host))) wokenMeanwhile = true;
    limitReached = nextDueAt !== undefined && nextDueAt <= now;
    begin(leased, seenAt);
    timers.wakeIn(Math.min(dueInMs(nextDueAt, clock()), outage.retryInMs() ?? timers.pollInMs()));
  }

  function begin({ deliveries, seenAt = Number.POSITIVE_INFINITY, isHeld = () => true }: LeasedBatch, moment: number) {
    for (const delivery of deliveries) {
      const endAttempt = inFlight.begin(delivery, performance.now());
      slowAttempts.check();
      void attempt(delivery, Math.min(moment, seenAt), isHeld).finally(() => end(delivery, endAttempt));
    }
  }

  /** Wakes the loop if another delivery may have waited for this attempt. */
  function end(delivery: LeasedDelivery, endAttempt: () => void): void {
    const { host } = addressOf(delivery.hookUrl);
    const wasInTheWay = limitReached || saturated.includes(host) || isShareUsedUp(delivery, limits, inFlight);
    released.add(host);
    endAttempt();
    if (wasInTheWay) timers.wakeSoon();
  }

  return {
    wake,
    leaseNextOf,
    leased: () => Promise.resolve(leasing),
    endTimers() {
      timers.end();
      slowAttempts.end();
    },
    error: failures.current,
  };
}

type Limits = WorkerSettings['limits'];

const freeSlots = ({ concurrency }: Limits, { outage, inFlight, recorder }: Omit<Parts, 'attempt' | 'state'>): number =>
  Math.min(concurrency, outage.maxInFlight()) - inFlight.slotsInUse - recorder.unrecorded();

/** The queue names no listener or organisation that has used up its share, and might have more. */
const isShareUsedUp = (
  { listenerId }: LeasedDelivery,
  { perListener, perOrganisation }: Limits,
  inFlight: AttemptsInFlight,
): boolean =>
  inFlight.slotsInUse >= Math.min(perListener, perOrganisation) ||
  (inFlight.byListener.get(listenerId) ?? 0) >= perListener;

function leaseRequest(
  { limits, owned }: Pick<WorkerSettings, 'limits' | 'owned'>,
  parts: Omit<Parts, 'attempt' | 'state'>,
  now: number,
): LeaseRequest {
  const { perListener, perOrganisation, ratePerSecond, probeMs } = limits;
  const { gone, outage, inFlight } = parts;
  const { byListener, slotsByOrganisation: byOrganisation, connections } = inFlight;
  const passedOver = [...inFlight.listenersAtSlowLimit(), ...gone.listeners()];
  return passingOver(passedOver, {
    limit: freeSlots(limits, parts),
    perListener,
    perOrganisation,
    ratePerSecond,
    probeMs,
    now,
    listenerLimits: new Map(outage.isCurrent() ? [] : outage.listenerLimits()),
    partitions: owned,
    inFlight: { byListener, byOrganisation, connections },
  });
}

/** Leases deliveries; in an outage one delivery as a probe, if possible of a listener that has not failed on our side. */
async function leaseOrProbe(
  queue: Pick<WorkerSettings['queue'], 'lease'>,
  outage: LocalOutage,
  request: LeaseRequest,
): Promise<LeasedBatch> {
  if (!outage.isCurrent()) return queue.lease(request);
  const failing = outage.failingListeners();
  const first = await queue.lease(passingOver(failing, request));
  const found = first.deliveries.length === 0 && failing.length > 0 ? await queue.lease(request) : first;
  outage.probed(found.deliveries.length);
  return found;
}

const dueInMs = (nextDueAt = Number.POSITIVE_INFINITY, now: number): number => Math.max(0, nextDueAt - now);
