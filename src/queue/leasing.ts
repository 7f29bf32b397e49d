import type { NewDelivery, QueuedListener } from './delivery.js';
import type { AttemptReport, DeliveryQuery, Redelivered } from './delivery-log.js';
import type { Enqueued, FanOutBatch } from './fan-out-batch.js';
import type { ListenerHealth } from './policy/listener-health.js';
import type { OwnedPartitions } from './policy/partition.js';
import type { ReaderPositions } from './reader-positions.js';

export type LeasedDelivery = Omit<NewDelivery, 'held'> &
  Omit<QueuedListener, 'position' | 'paused'> & {
    /** See `asReadOf`. */
    asRead: string;
    eventType: string;
    body: string;
    /** Number from 1. */
    attempt: number;
    enqueuedAt: number;
    /** Time of its flow event, milliseconds since 1970; undefined for a test delivery. */
    recordedAt: number | undefined;
    traceparent?: string;
  };

export type ListenerAtHost = Pick<QueuedListener, 'listenerId' | 'orgId' | 'hookUrl'>;

/** Each leased delivery takes another one: see `HostCapacity`. */
export type HostConnections = {
  perHost: number;
  byHost: ReadonlyMap<string, number>;
  /** Limits by organisation at a host: see `organisationAt`. */
  byOrganisation: ReadonlyMap<string, number>;
  byListener: ReadonlyMap<string, number>;
};

type InFlight = {
  byListener: ReadonlyMap<string, number>;
  byOrganisation?: ReadonlyMap<string, number>;
  /** Undefined: no limit by host. */
  connections?: HostConnections;
};

/**
 * Value to compare a row with as it was read: an outcome counts if no other attempt was recorded since. `requests`: number of requested
 * redeliveries.
 */
export const asReadOf = ({ attempts, requests }: { attempts: number; requests: number }): string =>
  `${attempts}.${requests}`;

export type LeaseRequest = {
  limit: number;
  /** Including those in flight. */
  perListener: number;
  listenerLimits?: ReadonlyMap<string, number>;
  /**
   * Including those in flight. The more an organisation has, the fewer of the rest it gets: see `LeaseCapacity`. Undefined:
   * no limit, and the longest due are leased first.
   */
  perOrganisation?: number;
  inFlight: InFlight;
  /** Rate of listeners without a limit of their own. */
  ratePerSecond?: number;
  /** The partitions that this process owns, by number: see `partitionOf`. Undefined: all. */
  partitions?: OwnedPartitions;
  /** A probe of a circuit breaker without an outcome is repeated after this time. */
  probeMs: number;
  now: number;
  /**
   * Ordered listeners of which a success was just recorded: only their next deliveries are leased, as far as they are known without a read.
   * `nextDueAt` is `now` unless all are leased.
   */
  onlyNextOf?: readonly string[];
};

/** A request that leases nothing of these listeners. */
export function passingOver(listenerIds: readonly string[], request: LeaseRequest): LeaseRequest {
  if (listenerIds.length === 0) return request;
  const limits = listenerIds.map((listenerId) => [listenerId, 0] as const);
  return { ...request, listenerLimits: new Map([...(request.listenerLimits ?? []), ...limits]) };
}

export type LeasedBatch = {
  deliveries: readonly LeasedDelivery[];
  /**
   * Time from which another lease may find more without an enqueue or outcome: `now` if the limit was reached,
   * undefined if nothing waits but deliveries of listeners that were passed over.
   */
  nextDueAt: number | undefined;
  /** Hosts that had no capacity for all due deliveries of a listener: they may have it once a connection is released. */
  saturatedHosts?: readonly string[];
  /** False once another instance may own their partitions: no attempt may start. */
  isHeld?: () => boolean;
  /** Moment at which the gates were seen open, in milliseconds of `performance.now()`; undefined: that of the call. */
  seenAt?: number;
};

/** `latencyMs`: from recording the flow event to this success; undefined after a failed attempt, and for replays. */
export type AttemptOutcome =
  | { kind: 'succeeded'; report: AttemptReport; latencyMs?: number }
  | ({ kind: 'failed'; retryAt: number } & Failure)
  | ({ kind: 'exhausted' } & Failure)
  /** Due again at once, without a counted attempt. `failure`: the class of the failure on our side, if there was one. */
  | { kind: 'released'; failure?: string };

export type Outcome = { id: string; asRead: string } & AttemptOutcome;

type Failure = {
  report: AttemptReport;
  /** The listener caused the failure, not our own network, keys or resolver. */
  byListener: boolean;
  /** Time from `Retry-After`, milliseconds since 1970. */
  notBefore?: number;
};

/** `counted`: recorded in time. `troubled`: listeners with a failed attempt, or whose circuit breaker has closed. */
export type Recorded = { counted: number; troubled: readonly TroubledListener[] };

export type TroubledListener = Pick<QueuedListener, 'listenerId' | 'orgId' | 'hookUrl'> & {
  before: ListenerHealth;
  health: ListenerHealth;
};

/** A listener whose gate closes for good, or a replay. */
export type Withdrawal = { listenerId: string } | { replay: string };

/** Deliveries that are owed, and their gates. */
export interface DeliveriesOwed extends ReaderPositions {
  /**
   * Idempotent: existing deliveries are not changed. A flow event that the queue knows at another position was published
   * again: nothing of it is enqueued, except for replays. Deliveries of a closed gate are added as cancelled, those of a paused
   * listener as held. A listener in the batch that is paused holds its waiting deliveries; one that is resumed releases none. The
   * `released` deliveries become due in the order of the flow events, unless their listener is paused again: at an ordered listener,
   * no delivery of a later batch comes before them.
   *
   * Durable when it resolves, except that a crash may lose a batch whose checkpoint follows another, together with that
   * checkpoint. Rejects with `LeaseLost`, without moving the checkpoint, if a later term has moved it, and with
   * `CheckpointLost` if it follows one that does not exist; the batch's other checkpoints may have moved then.
   */
  enqueue(batch: FanOutBatch, now: number): Promise<Enqueued>;
  /**
   * Leases due deliveries of open gates, which this process alone attempts until their outcomes are recorded: first those of the listener whose delivery has been due longest, and of each listener its
   * longest due. Of an ordered listener, it leases the first delivery that is neither final nor held, if that is due and no
   * delivery of the listener is under way.
   *
   * Passed over are listeners and organisations that have as many deliveries in flight as they may, listeners at hosts without capacity, and
   * listeners whose health or rate allows none now (`policy/listener-health.ts`), which all instances share. None of them delays the others.
   */
  lease(request: LeaseRequest): Promise<LeasedBatch>;
  /**
   * Records outcomes; those of deliveries that have been attempted elsewhere meanwhile are ignored. After a failed attempt, a delivery is cancelled if its gate
   * was closed meanwhile, and held if its listener was paused. Each attempt is added to the delivery's log, the statistics of the
   * day and of the minute, and the listener's health.
   */
  record(outcomes: readonly Outcome[], now: number): Promise<Recorded>;
  /**
   * Makes deliveries of any state due now. Their attempts count on; one under way becomes due again after its
   * attempt; those of closed gates and paused listeners stay. Rejects with `InvalidRequest` as `deliveries` does.
   */
  redeliver(query: DeliveryQuery, now: number): Promise<Redelivered>;
  /**
   * Cancels the waiting and held deliveries of a listener, whose gate it closes for good, or of a replay; also those enqueued later.
   * Returns the number of cancelled deliveries. Repeatable.
   */
  withdraw(withdrawal: Withdrawal): Promise<number>;
  /**
   * Gives these organisations up: what is in memory is written, and what is under way becomes due at `until`, or with its outcome.
   */
  handOver(has: (orgId: string) => boolean, until: number): Promise<void>;
  /** The listener IDs whose gates are not known to be open: that of a listener which the queue has lost counts as closed. */
  closedGates(listenerIds: readonly string[]): Promise<ReadonlySet<string>>;
}
