import type { Logger } from 'pino';
import type { MasterKeys } from '../access/keys/master-keys.js';
import type { FailingPolicy } from '../listeners/commands/failing-listener.js';
import type { DeliveryQueue } from '../queue/delivery-queue.js';
import type { RetryPolicy } from '../queue/policy/retry-policy.js';
import type { RetentionTimes } from '../queue/retention.js';
import type { EventStore } from '../stores/event-store/event-store.js';
import type { Leases } from '../stores/leases/leases.js';
import type { FanOutSettings } from './fan-out/fan-out-settings.js';
import type { ListenersView } from './fan-out/listeners.js';
import type { TargetGuard } from './target-guard/target-guard.js';
import type { TroubleObserver } from './worker/troubled-listeners.js';
import type { AttemptObserver } from './worker/worker-settings.js';

type AttemptLimits = {
  concurrency: number;
  /** Default: a quarter of `concurrency`, so that a slow listener leaves capacity for others. */
  perListener?: number;
  /** Default: half of `concurrency`. */
  perOrganisation?: number;
  /** Default: `defaultPerHost`. */
  perHost?: number;
  /** Rate of listeners without their own limit. */
  ratePerSecond?: number;
  /** Limit of one attempt with connecting and the body of the answer; default: 15 s. */
  deadlineMs?: number;
  retryPolicy?: RetryPolicy;
};

export type DeliverySettings = {
  attempts: AttemptLimits;
  /** Undefined: no failing listener is paused. */
  failingPolicy?: FailingPolicy;
  retention: RetentionTimes;
  /** W3C Trace Context; by default not sent. */
  sendTraceparent?: boolean;
  /** Position after which the fan-out begins if the queue has no checkpoint. Undefined: it waits for an operator. */
  startFrom?: bigint | 'end';
  /** Unsubscribing then waits until their permits have expired. */
  otherInstances?: boolean;
  /** Default: 1; the same on all instances. */
  fanOutPartitions?: number;
};

export type DeliveryDependencies = {
  store: EventStore;
  view: ListenersView;
  queue: DeliveryQueue;
  /** Instances share the partitions of the fan-out by the leases `fan-out/…`. */
  leases: Leases;
  masterKeys: MasterKeys;
  guard: TargetGuard;
  observer?: AttemptObserver & TroubleObserver & Pick<FanOutSettings, 'onReplayEvent'>;
  log: Logger;
};

export const fanOutPartitionsOf = ({ fanOutPartitions = 1 }: Pick<DeliverySettings, 'fanOutPartitions'>): number =>
  fanOutPartitions;

/** Limit of one attempt, if none is configured. */
export const defaultDeadlineMs = 15_000;
