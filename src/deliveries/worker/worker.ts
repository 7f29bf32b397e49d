import { setTimeout as pause } from 'node:timers/promises';
import { watchTrouble } from '../../kernel/trouble.js';
import type { HookPools } from '../posting/hook-pools.js';
import type {
  DeliveryQueue,
  Enqueued,
  FanOutBatch,
  LeasedDelivery,
  LeaseRequest,
  Outcome,
  Recorded,
} from '../queue/delivery-queue.js';
import { type AttemptSettings, attemptDelivery } from './attempt.js';
import { AttemptsInFlight, type DeliveryLease } from './attempts-in-flight.js';
import { goneHooks } from './gone-hooks.js';
import type { HostSemaphore } from './host-semaphore.js';
import { outcomeRecorder } from './outcome-recorder.js';
import { permitRenewal } from './permits.js';
import { saturatedHosts } from './saturated-hosts.js';

export type WorkerSettings = Omit<AttemptSettings, 'renewPermit'> & {
  readonly queue: DeliveryQueue;
  readonly pools: Pick<HookPools, 'destroy'>;
  readonly hostSemaphore: HostSemaphore;
  /** Called when a hook answers 410 (Gone). Repeated with growing pauses until it resolves. */
  readonly onGone: (delivery: LeasedDelivery) => Promise<void>;
  /** Called after each attempt, before its outcome is recorded. */
  readonly onAttempted?: ((delivery: LeasedDelivery, outcome: Outcome) => void) | undefined;
  /** Called with the troubled hooks, once their outcomes are recorded. */
  readonly onTroubled: (troubled: Recorded['troubled']) => void;
  /**
   * Maximum number of attempts in flight: in all, to one hook, and to the hooks of one organisation. Slow attempts do not count
   * in all nor for the organisation; their own maximum is four times `concurrency`.
   */
  readonly concurrency: number;
  readonly perListener: number;
  readonly perOrganisation: number;
  /** The most deliveries a second to a hook that has no limit of its own; undefined: no limit. */
  readonly ratePerSecond?: number | undefined;
  /** Duration of a lease: longer than an attempt may take, so that no other worker leases a delivery in flight. */
  readonly leaseMs: number;
  /** Interval between looks for deliveries that other processes enqueued. */
  readonly pollMs: number;
};

export type Worker = {
  /** Enqueues a batch and leases due deliveries in the same step, as far as slots are free. */
  readonly enqueue: DeliveryQueue['enqueue'];
  /** There may be something new to lease. */
  readonly wake: () => void;
  /** Leases no more, lets attempts under way end for at most `timeoutMs`, records them and gives the rest back. */
  readonly stop: (timeoutMs: number) => Promise<void>;
  /** Breaks everything off. Deliveries in flight are repeated under their next lease. */
  readonly abort: () => void;
  readonly status: () => { readonly underWay: number; readonly error: unknown };
};

/** Interval in which ended attempts free their slots together: a lease costs about the same for one slot as for many. */
const gatherMs = 2;
/** Duration after which an attempt counts as slow and releases its slot. */
const slowAfterMs = 1_000;
const lookForSlowMs = 250;
/** Maximum time that a stop waits for outcomes and removals to be written: unrecorded deliveries are repeated. */
const drainMs = 5_000;

/** Leases deliveries as slots become free, attempts them concurrently, and records the outcomes. */
export function startWorker(settings: WorkerSettings): Worker {
  const { queue, pools, gates, clock, log, concurrency, leaseMs, pollMs } = settings;
  const { perListener, perOrganisation, ratePerSecond, onTroubled } = settings;
  const recorder = outcomeRecorder({ queue, log, clock, onTroubled, onWaiting: wake });
  const trouble = watchTrouble(log, 'leasing deliveries');
  const hosts = saturatedHosts(settings.hostSemaphore);
  const gone = goneHooks(settings);
  const renewPermit = permitRenewal(queue, gates);
  /** A gone hook's gate stays open until the hook is removed; after an interruption nothing is posted. */
  const mayPost = (listenerId: string): boolean => !interrupted && !gone.includes(listenerId);
  const attemptSettings: AttemptSettings = {
    ...settings,
    gates: { ...gates, permits: (listenerId, at) => mayPost(listenerId) && gates.permits(listenerId, at) },
    renewPermit: async (listenerId) => {
      const permit = await renewPermit(listenerId);
      return mayPost(listenerId) ? permit : undefined;
    },
  };
  const underWay = new AttemptsInFlight(4 * concurrency);
  let timer: NodeJS.Timeout | undefined;
  let soon: NodeJS.Timeout | undefined;
  /** The last lease reached its limit, so more deliveries may be due. */
  let limitReached = false;
  let leasing: Promise<unknown> | undefined;
  let wokenMeanwhile = false;
  let stopping = false;
  let interrupted = false;
  const awaitingIdle: (() => void)[] = [];

  function wake(): void {
    if (stopping) return;
    if (leasing) wokenMeanwhile = true;
    else if (underWay.slotsInUse < concurrency) leasing = lease();
    else limitReached = true; // lease again when a slot is released
  }

  function wakeSoon(): void {
    soon ??= setTimeout(() => {
      soon = undefined;
      wake();
    }, gatherMs);
  }

  function wakeIn(delayMs: number): void {
    clearTimeout(timer);
    if (!stopping) timer = setTimeout(wake, delayMs);
  }

  function hookLimits(): ReadonlyMap<string, number> {
    const limits = hosts.hookLimits();
    for (const listenerId of [...underWay.hooksAtSlowLimit(), ...gone.listeners()]) limits.set(listenerId, 0);
    return limits;
  }

  /** Requests deliveries for the free slots and starts their attempts. */
  async function leaseRoom<Answer extends Pick<Enqueued, 'lease'>>(
    ask: (request: LeaseRequest) => Promise<Answer>,
  ): Promise<Answer> {
    wokenMeanwhile = false;
    const seenAt = gates.moment();
    const now = clock();
    const leaseExpiresAt = performance.now() + leaseMs;
    const answer = await ask({
      limit: concurrency - underWay.slotsInUse,
      perListener,
      perOrganisation,
      ratePerSecond,
      leaseMs,
      now,
      underWay: underWay.attemptsByHook,
      underWayOf: underWay.slotsByOrganisation,
      hookLimits: hookLimits(),
    });
    if (answer.lease) {
      trouble.over();
      const { deliveries, nextDueAt } = answer.lease;
      limitReached = nextDueAt !== undefined && nextDueAt <= now;
      for (const delivery of deliveries) begin(delivery, seenAt, leaseExpiresAt);
      wakeIn(Math.min(pollMs, Math.max(0, (nextDueAt ?? Number.POSITIVE_INFINITY) - clock())));
    }
    return answer;
  }

  async function lease(): Promise<void> {
    try {
      await leaseRoom(async (request) => ({ lease: await queue.lease(request) }));
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
      const enqueued = await leaseRoom((request) => queue.enqueue(batch, now, request));
      if (mayBeDue(batch, enqueued) && !enqueued.lease) wokenMeanwhile = true;
      return enqueued;
    } finally {
      leasing = undefined;
      if (wokenMeanwhile) wake();
    }
  }

  function begin(delivery: LeasedDelivery, seenAt: number, leaseExpiresAt: number): void {
    const lease = underWay.begin(delivery, leaseExpiresAt, performance.now());
    if (!lease) return;
    void perform(delivery, seenAt, lease).finally(() => {
      const wasInTheWay = limitReached || hosts.isAwaited(delivery) || isFull(delivery);
      underWay.end(delivery);
      if (underWay.size === 0) for (const resolve of awaitingIdle.splice(0)) resolve();
      if (wasInTheWay) wakeSoon();
    });
  }

  /** Resolves once no attempt is in flight. */
  const idle = (): Promise<void> =>
    new Promise((resolve) => {
      if (underWay.size === 0) resolve();
      else awaitingIdle.push(resolve);
    });

  /** Whether a share may be used up, so that further due deliveries could not be leased. */
  const isFull = ({ listenerId }: LeasedDelivery): boolean =>
    underWay.slotsInUse >= Math.min(perListener, perOrganisation) || underWay.countOf(listenerId) >= perListener;

  async function perform(delivery: LeasedDelivery, seenAt: number, lease: DeliveryLease): Promise<void> {
    const { id, listenerId, ordered } = delivery;
    const record = (outcome: Outcome) =>
      recorder.add({ ...outcome, lease: lease.token }, lease.expiresAt, { awaited: ordered });
    const release = () => record({ id, lease: lease.token, kind: 'released' });
    if (stopping || gone.includes(listenerId)) return release();
    try {
      const giveBack = await hosts.acquire(delivery);
      if (!giveBack) {
        hosts.skip(delivery);
        return release();
      }
      if (!mayPost(listenerId)) {
        giveBack();
        return release();
      }
      const { outcome, gone: isGone } = await attemptDelivery(delivery, seenAt, attemptSettings).finally(giveBack);
      // An attempt that we interrupted is no failure of the hook, unless it answered 410 before.
      if (interrupted && outcome.kind !== 'succeeded' && !isGone) return release();
      if (isGone) gone.remove(delivery);
      settings.onAttempted?.(delivery, outcome);
      record(outcome);
    } catch (error) {
      log.error({ err: error, deliveryId: id, listenerId }, 'an attempt could not be made');
      release();
    }
  }

  function interrupt(): Promise<void> {
    interrupted = true;
    return pools.destroy();
  }

  const lookingForSlow = setInterval(() => {
    if (underWay.releaseSlowSlots(performance.now() - slowAfterMs) > 0) wake();
  }, lookForSlowMs).unref();

  function endTimers(): void {
    clearTimeout(timer);
    clearTimeout(soon);
    clearInterval(lookingForSlow);
  }

  wake();
  return {
    async enqueue(batch, now) {
      if (!stopping && !leasing && underWay.slotsInUse < concurrency) {
        const enqueued = enqueueAndLease(batch, now);
        leasing = enqueued.catch(() => undefined); // the caller gets the error
        return enqueued;
      }
      const enqueued = await queue.enqueue(batch, now);
      if (mayBeDue(batch, enqueued)) wake();
      return enqueued;
    },
    wake,
    async stop(timeoutMs) {
      stopping = true;
      gone.stop();
      endTimers();
      const timeout = new AbortController();
      const atRest = Promise.resolve(leasing).then(idle);
      await Promise.race([atRest, pause(timeoutMs, undefined, { signal: timeout.signal })]);
      timeout.abort();
      await interrupt();
      await idle();
      const written = Promise.all([recorder.drained(), gone.atRest()]);
      await Promise.race([written, pause(drainMs, undefined, { ref: false })]);
    },
    abort() {
      stopping = true;
      gone.stop();
      endTimers();
      recorder.abandon();
      void interrupt();
    },
    status: () => ({ underWay: underWay.size, error: trouble.current() }),
  };
}

const mayBeDue = ({ released = [] }: FanOutBatch, { added }: Enqueued): boolean => added > 0 || released.length > 0;
