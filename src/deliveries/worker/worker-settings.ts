import type { Logger } from 'pino';
import type { DeliveryQueue } from '../../queue/delivery-queue.js';
import type { AttemptOutcome, LeasedDelivery, Recorded } from '../../queue/leasing.js';
import type { OwnedPartitions } from '../../queue/policy/partition.js';
import type { RetryPolicy } from '../../queue/policy/retry-policy.js';
import type { ListenerPools } from '../posting/listener-pools.js';
import type { Post } from '../posting/post.js';
import type { Transformer } from '../transforms/transformer.js';
import type { WorkerGates } from './gates.js';
import type { LocalOutage } from './outage/local-outage.js';
import type { HeadersOf } from './signed-headers.js';

export type AttemptObserver = {
  /** Called with the organisation of each new delivery of a batch. */
  onEnqueued?: (organisations: readonly string[]) => void;
  /** Called after each attempt, before its outcome is recorded. */
  onAttempted?: (delivery: LeasedDelivery, outcome: AttemptOutcome) => void;
};

/**
 * Limits of attempts in flight. Slow attempts count neither in all nor for the organisation; their own maximum is four times `concurrency`.
 */
type WorkerLimits = {
  concurrency: number;
  perListener: number;
  perOrganisation: number;
  /** Over all ports and listeners of the host; also of slow attempts. */
  perHost: number;
  /** Rate of listeners without their own limit. */
  ratePerSecond?: number;
  /** Longer than an attempt may take: see `LeaseRequest`. */
  probeMs: number;
  /** Interval of polls for deliveries that other processes enqueued. */
  pollMs: number;
};

export type AttemptSettings = {
  outage: Pick<LocalOutage, 'failed' | 'reached'>;
  post: Post;
  transform: Transformer['transform'];
  headersOf: HeadersOf;
  retryPolicy: RetryPolicy;
  deadlineMs: number;
  clock: () => number;
};

type WorkerCallbacks = Pick<AttemptObserver, 'onAttempted'> & {
  /** Called when a listener answers 410 (Gone). Repeated with growing pauses until it resolves. */
  onGone: (delivery: LeasedDelivery) => Promise<void>;
  onTroubled: (troubled: Recorded['troubled']) => void;
};

type WorkerNetwork = Pick<ListenerPools, 'closeIdle' | 'destroy'> & {
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
