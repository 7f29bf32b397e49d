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
import { crowdedHosts } from './crowded-hosts.js';
import { goneHooks } from './gone-hooks.js';
import type { HostSlots } from './host-slots.js';
import { outcomeRecorder } from './outcome-recorder.js';
import { permitRenewal } from './permits.js';
import { type Held, UnderWay } from './under-way.js';

export type WorkerSettings = Omit<AttemptSettings, 'renewPermit'> & {
  readonly queue: DeliveryQueue;
  readonly pools: Pick<HookPools, 'destroy'>;
  readonly hostSlots: HostSlots;
  /** Told when a hook answers 410: it wants no delivery any more. Told again, with growing pauses, until it resolves. */
  readonly onGone: (delivery: LeasedDelivery) => Promise<void>;
  /** Told of each attempt, before it is recorded. */
  readonly onAttempted?: ((delivery: LeasedDelivery, outcome: Outcome) => void) | undefined;
  /** Told of the hooks that have been troubled, once that is recorded. */
  readonly onTroubled: (troubled: Recorded['troubled']) => void;
  /**
   * Attempts under way at once: in all, to one hook, and to the hooks of one organisation. In all and for the organisation
   * those count that have not become slow; of these there may be as many again, four times over.
   */
  readonly concurrency: number;
  readonly perListener: number;
  readonly perOrganisation: number;
  /** The most deliveries a second to a hook that has no limit of its own; undefined: no limit. */
  readonly ratePerSecond?: number | undefined;
  /** Longer than an attempt may take, so that nobody else takes a delivery over that is still under way. */
  readonly leaseMs: number;
  /** How often to look for what others have enqueued. */
  readonly pollMs: number;
};

export type Worker = {
  /** Enqueues a batch, and takes up in the same step what there is room for. */
  readonly enqueue: DeliveryQueue['enqueue'];
  /** There may be something new to lease. */
  readonly wake: () => void;
  /** Leases no more, lets attempts under way end for at most `timeoutMs`, records them and gives the rest back. */
  readonly stop: (timeoutMs: number) => Promise<void>;
  /** Breaks everything off. What was under way is delivered again by whoever leases it next. */
  readonly abort: () => void;
  readonly status: () => { readonly underWay: number; readonly error: unknown };
};

/** What ends within so short a time frees slots together: leasing costs about the same for one of them as for many. */
const gatherMs = 2;
/** An attempt that takes longer is slow: it is waited for, but not by others. */
const slowAfterMs = 1_000;
const lookForSlowMs = 250;
/** A stop waits this long for stores that take no outcomes or removals: what is not recorded is delivered again. */
const drainMs = 5_000;

/** Leases deliveries as slots are free, attempts them side by side, and records what came of them. */
export function startWorker(settings: WorkerSettings): Worker {
  const { queue, pools, gates, clock, log, concurrency, leaseMs, pollMs } = settings;
  const { perListener, perOrganisation, ratePerSecond, onTroubled } = settings;
  const recorder = outcomeRecorder({ queue, log, clock, onTroubled, onWaiting: wake });
  const trouble = watchTrouble(log, 'leasing deliveries');
  const hosts = crowdedHosts(settings.hostSlots);
  const gone = goneHooks(settings);
  const renewPermit = permitRenewal(queue, gates);
  /** The gate of a hook that is gone stays open until it is removed; and what is interrupted posts to none. */
  const mayPost = (listenerId: string): boolean => !interrupted && !gone.includes(listenerId);
  const attemptSettings: AttemptSettings = {
    ...settings,
    gates: { ...gates, permits: (listenerId, at) => mayPost(listenerId) && gates.permits(listenerId, at) },
    renewPermit: async (listenerId) => {
      const permit = await renewPermit(listenerId);
      return mayPost(listenerId) ? permit : undefined;
    },
  };
  const underWay = new UnderWay(4 * concurrency);
  let timer: NodeJS.Timeout | undefined;
  let soon: NodeJS.Timeout | undefined;
  /** Something may have been left behind for want of slots. */
  let cutShort = false;
  let leasing: Promise<unknown> | undefined;
  let wokenMeanwhile = false;
  let stopping = false;
  let interrupted = false;
  const awaitingIdle: (() => void)[] = [];

  function wake(): void {
    if (stopping) return;
    if (leasing) wokenMeanwhile = true;
    else if (underWay.slots < concurrency) leasing = lease();
    else cutShort = true; // something may wait for the next slot that is free
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

  function atMost(): ReadonlyMap<string, number> {
    const atMost = hosts.atMost();
    for (const listenerId of [...underWay.tooSlow(), ...gone.listeners()]) atMost.set(listenerId, 0);
    return atMost;
  }

  /** Has the queue asked for what there is room for, and begins that. */
  async function takeUp<Answer extends Pick<Enqueued, 'lease'>>(
    ask: (request: LeaseRequest) => Promise<Answer>,
  ): Promise<Answer> {
    wokenMeanwhile = false;
    const seenAt = gates.moment();
    const now = clock();
    const leasedUntil = performance.now() + leaseMs;
    const answer = await ask({
      limit: concurrency - underWay.slots,
      ...{ perListener, perOrganisation, ratePerSecond, leaseMs, now },
      ...{ underWay: underWay.ofHook, underWayOf: underWay.slotsOf, atMost: atMost() },
    });
    if (answer.lease) {
      trouble.over();
      const { deliveries, nextDueAt } = answer.lease;
      cutShort = nextDueAt !== undefined && nextDueAt <= now;
      for (const delivery of deliveries) begin(delivery, seenAt, leasedUntil);
      wakeIn(Math.min(pollMs, Math.max(0, (nextDueAt ?? Number.POSITIVE_INFINITY) - clock())));
    }
    return answer;
  }

  async function lease(): Promise<void> {
    try {
      await takeUp(async (request) => ({ lease: await queue.lease(request) }));
    } catch (error) {
      wakeIn(trouble.met(error));
      wokenMeanwhile = false;
    } finally {
      leasing = undefined;
    }
    if (wokenMeanwhile) wake();
  }

  async function enqueueAndTakeUp(batch: FanOutBatch, now: number): Promise<Enqueued> {
    try {
      const enqueued = await takeUp((request) => queue.enqueue(batch, now, request));
      if (mayBeDue(batch, enqueued) && !enqueued.lease) wokenMeanwhile = true;
      return enqueued;
    } finally {
      leasing = undefined;
      if (wokenMeanwhile) wake();
    }
  }

  function begin(delivery: LeasedDelivery, seenAt: number, leasedUntil: number): void {
    const held = underWay.begin(delivery, leasedUntil, performance.now());
    if (!held) return;
    void perform(delivery, seenAt, held).finally(() => {
      const wasInTheWay = cutShort || hosts.isAwaited(delivery) || isFull(delivery);
      underWay.end(delivery);
      if (underWay.size === 0) for (const resolve of awaitingIdle.splice(0)) resolve();
      if (wasInTheWay) wakeSoon();
    });
  }

  /** Resolves once nothing is under way. */
  const idle = (): Promise<void> =>
    new Promise((resolve) => {
      if (underWay.size === 0) resolve();
      else awaitingIdle.push(resolve);
    });

  /** Whether more may be due that could not be leased beside what is under way: with fewer slots taken, none has all of its share. */
  const isFull = ({ listenerId }: LeasedDelivery): boolean =>
    underWay.slots >= Math.min(perListener, perOrganisation) || underWay.countOf(listenerId) >= perListener;

  async function perform(delivery: LeasedDelivery, seenAt: number, held: Held): Promise<void> {
    const { id, listenerId, ordered } = delivery;
    const record = (outcome: Outcome) =>
      recorder.add({ ...outcome, lease: held.lease }, held.leasedUntil, { awaited: ordered });
    const release = () => record({ id, lease: held.lease, kind: 'released' });
    if (stopping || gone.includes(listenerId)) return release();
    try {
      const giveBack = await hosts.place(delivery);
      if (!giveBack) {
        hosts.passOver(delivery);
        return release();
      }
      if (!mayPost(listenerId)) {
        giveBack();
        return release();
      }
      const { outcome, gone: isGone } = await attemptDelivery(delivery, seenAt, attemptSettings).finally(giveBack);
      // What we broke off ourselves is no failure of the hook; that it is gone it has said before.
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
    if (underWay.takeSlots(performance.now() - slowAfterMs) > 0) wake();
  }, lookForSlowMs).unref();

  function endTimers(): void {
    clearTimeout(timer);
    clearTimeout(soon);
    clearInterval(lookingForSlow);
  }

  wake();
  return {
    async enqueue(batch, now) {
      if (!stopping && !leasing && underWay.slots < concurrency) {
        const enqueued = enqueueAndTakeUp(batch, now);
        leasing = enqueued.catch(() => undefined); // told to the caller
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
