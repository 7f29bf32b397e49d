import type { Logger } from 'pino';
import type { ListenerPools } from '../posting/listener-pools.js';
import type { DeliveryQueue } from '../queue/delivery-queue.js';
import type { LeasedDelivery, Outcome, Recorded } from '../queue/leasing.js';
import type { AttemptSettings } from './attempt.js';
import type { WorkerGates } from './gates.js';
import type { HostSemaphore } from './host-semaphore.js';

/** What is measured of deliveries. */
export type AttemptObserver = {
  /** Called with the number of deliveries that a batch has added to the queue. */
  readonly onEnqueued?: (added: number) => void;
  /** Called after each attempt, before its outcome is recorded. */
  readonly onAttempted?: (delivery: LeasedDelivery, outcome: Outcome) => void;
};

/**
 * Maximum number of attempts in flight: in all, to one listener, and to the listeners of one organisation. Slow attempts do not count
 * in all nor for the organisation; their own maximum is four times `concurrency`.
 */
export type WorkerLimits = {
  readonly concurrency: number;
  readonly perListener: number;
  readonly perOrganisation: number;
  /** Maximum number of deliveries per second to a listener that has no limit of its own; undefined: no limit. */
  readonly ratePerSecond?: number | undefined;
  /** Duration of a lease: longer than an attempt may take, so that no other worker leases a delivery in flight. */
  readonly leaseMs: number;
  /** Interval between looks for deliveries that other processes enqueued. */
  readonly pollMs: number;
};

type WorkerCallbacks = Pick<AttemptObserver, 'onAttempted'> & {
  /** Called when a listener answers 410 (Gone). Repeated with growing pauses until it resolves. */
  readonly onGone: (delivery: LeasedDelivery) => Promise<void>;
  /** Called with the troubled listeners, once their outcomes are recorded. */
  readonly onTroubled: (troubled: Recorded['troubled']) => void;
};

type WorkerNetwork = Pick<ListenerPools, 'closeIdle' | 'destroy'> & {
  readonly hosts: HostSemaphore;
  /** When a name server last answered for any name: milliseconds of `performance.now()`. */
  readonly namesResolvedAt: () => number;
};

export type WorkerSettings = {
  readonly queue: DeliveryQueue;
  readonly gates: WorkerGates;
  readonly network: WorkerNetwork;
  readonly limits: WorkerLimits;
  readonly attempts: Omit<AttemptSettings, 'permits' | 'outage' | 'clock'>;
  readonly callbacks: WorkerCallbacks;
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
};
