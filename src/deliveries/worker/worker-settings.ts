import type { ListenerPools } from '../posting/listener-pools.js';
import type { DeliveryQueue } from '../queue/delivery-queue.js';
import type { LeasedDelivery, Outcome, Recorded } from '../queue/leasing.js';
import type { AttemptSettings } from './attempt.js';
import type { HostSemaphore } from './host-semaphore.js';

/** What is measured of deliveries. */
export type AttemptObserver = {
  /** Called with the number of deliveries that a batch has added to the queue. */
  readonly onEnqueued?: (added: number) => void;
  /** Called after each attempt, before its outcome is recorded. */
  readonly onAttempted?: (delivery: LeasedDelivery, outcome: Outcome) => void;
};

export type WorkerSettings = Omit<AttemptSettings, 'renewPermit' | 'outage'> & {
  readonly queue: DeliveryQueue;
  readonly pools: Pick<ListenerPools, 'closeIdle' | 'destroy'>;
  /** When a name server last answered for any name: milliseconds of `performance.now()`. */
  readonly namesResolvedAt: () => number;
  readonly hostSemaphore: HostSemaphore;
  /** Called when a listener answers 410 (Gone). Repeated with growing pauses until it resolves. */
  readonly onGone: (delivery: LeasedDelivery) => Promise<void>;
  readonly observer: Pick<AttemptObserver, 'onAttempted'>;
  /** Called with the troubled listeners, once their outcomes are recorded. */
  readonly onTroubled: (troubled: Recorded['troubled']) => void;
  /**
   * Maximum number of attempts in flight: in all, to one listener, and to the listeners of one organisation. Slow attempts do not count
   * in all nor for the organisation; their own maximum is four times `concurrency`.
   */
  readonly concurrency: number;
  readonly perListener: number;
  readonly perOrganisation: number;
  /** The most deliveries a second to a listener that has no limit of its own; undefined: no limit. */
  readonly ratePerSecond?: number | undefined;
  /** Duration of a lease: longer than an attempt may take, so that no other worker leases a delivery in flight. */
  readonly leaseMs: number;
  /** Interval between looks for deliveries that other processes enqueued. */
  readonly pollMs: number;
};
