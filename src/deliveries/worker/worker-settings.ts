import type { Logger } from 'pino';
import type { ListenerPools } from '../posting/listener-pools.js';
import type { DeliveryQueue } from '../queue/delivery-queue.js';
import type { AttemptOutcome, LeasedDelivery, Recorded } from '../queue/leasing.js';
import type { OwnedPartitions } from '../queue/policy/partition.js';
import type { AttemptSettings } from './attempt.js';
import type { WorkerGates } from './gates.js';
import type { HostSemaphore } from './host-semaphore.js';

export type AttemptObserver = {
  /** Called with the number of new deliveries of each batch. */
  onEnqueued?: (added: number) => void;
  /** Called after each attempt, before its outcome is recorded. */
  onAttempted?: (delivery: LeasedDelivery, outcome: AttemptOutcome) => void;
};

/**
 * Limits of attempts in flight. Slow attempts count neither in all nor for the organisation; their own maximum is four times `concurrency`.
 */
export type WorkerLimits = {
  concurrency: number;
  perListener: number;
  perOrganisation: number;
  /** Rate of listeners without a limit of their own. */
  ratePerSecond?: number;
  /** Longer than an attempt may take: see `LeaseRequest`. */
  probeMs: number;
  /** Interval of polls for deliveries that other processes enqueued. */
  pollMs: number;
};

type WorkerCallbacks = Pick<AttemptObserver, 'onAttempted'> & {
  /** Called when a listener answers 410 (Gone). Repeated with growing pauses until it resolves. */
  onGone: (delivery: LeasedDelivery) => Promise<void>;
  onTroubled: (troubled: Recorded['troubled']) => void;
};

type WorkerNetwork = Pick<ListenerPools, 'closeIdle' | 'destroy'> & {
  hosts: HostSemaphore;
  /** Time of the latest answer of a name server for any name: milliseconds of `performance.now()`. */
  namesResolvedAt: () => number;
};

export type WorkerSettings = {
  queue: DeliveryQueue;
  gates: WorkerGates;
  owned: OwnedPartitions;
  network: WorkerNetwork;
  limits: WorkerLimits;
  attempts: Omit<AttemptSettings, 'outage' | 'clock'>;
  callbacks: WorkerCallbacks;
  log: Logger;
  clock: () => number;
};
