import type { Logger } from 'pino';
import type { ListenerPools } from '../posting/listener-pools.js';
import type { DeliveryQueue } from '../queue/delivery-queue.js';
import type { LeasedDelivery, Outcome, Recorded } from '../queue/leasing.js';
import type { Partitions } from '../queue/policy/partition.js';
import type { AttemptSettings } from './attempt.js';
import type { WorkerGates } from './gates.js';
import type { HostSemaphore } from './host-semaphore.js';

export type AttemptObserver = {
  /** Called with the number of new deliveries of each batch. */
  readonly onEnqueued?: (added: number) => void;
  /** Called after each attempt, before its outcome is recorded. */
  readonly onAttempted?: (delivery: LeasedDelivery, outcome: Outcome) => void;
};

/**
 * Of attempts in flight. Slow attempts count neither in all nor for the organisation; their own maximum is four times
 * `concurrency`.
 */
export type WorkerLimits = {
  readonly concurrency: number;
  readonly perListener: number;
  readonly perOrganisation: number;
  /** Of listeners without a limit of their own. */
  readonly ratePerSecond?: number | undefined;
  /** Longer than an attempt may take. */
  readonly leaseMs: number;
  /** Of looks for deliveries that other processes enqueued. */
  readonly pollMs: number;
};

type WorkerCallbacks = Pick<AttemptObserver, 'onAttempted'> & {
  /** Called when a listener answers 410 (Gone). Repeated with growing pauses until it resolves. */
  readonly onGone: (delivery: LeasedDelivery) => Promise<void>;
  readonly onTroubled: (troubled: Recorded['troubled']) => void;
};

type WorkerNetwork = Pick<ListenerPools, 'closeIdle' | 'destroy'> & {
  readonly hosts: HostSemaphore;
  /** Time of the latest answer of a name server for any name: milliseconds of `performance.now()`. */
  readonly namesResolvedAt: () => number;
};

export type WorkerSettings = {
  readonly queue: DeliveryQueue;
  readonly gates: WorkerGates;
  readonly partitions: Partitions;
  readonly network: WorkerNetwork;
  readonly limits: WorkerLimits;
  readonly attempts: Omit<AttemptSettings, 'permits' | 'outage' | 'clock'>;
  readonly callbacks: WorkerCallbacks;
  readonly log: Logger;
  readonly clock: () => number;
};
