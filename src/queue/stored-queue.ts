import type { Message, NewDelivery } from './delivery.js';
import type { DeliveryQuery, Redelivered } from './delivery-log.js';
import type { DeliveryQueue } from './delivery-queue.js';
import type { FanOutBatch, FanOutCheckpoint } from './fan-out-batch.js';
import {
  asReadOf,
  type LeasedBatch,
  type LeasedDelivery,
  type LeaseRequest,
  type Outcome,
  type Recorded,
} from './leasing.js';
import type { CallTime } from './policy/queue-clock.js';

/** A delivery that was never written. `dueAt`: in queue time. */
export type FirstDelivery = {
  delivery: NewDelivery;
  message: Message;
  enqueuedAt: number;
  dueAt: number;
  isUnderWay: boolean;
};

export type FirstListener = Pick<LeasedDelivery, 'listenerId' | 'orgId' | 'hookUrl' | 'subscription' | 'secret'>;

/** `isReady`: a delivery can be attempted at once, and none of its rows is due; if it is ordered, it has none that waits. */
export type FactsOfListener = FirstListener & { isReady: boolean };

/** Facts of a batch. */
export type Facts = {
  listeners: ReadonlyMap<string, FactsOfListener>;
  /** Names of the flow events that have a row. */
  known: ReadonlySet<string>;
  /** Due time of the first row; infinite if none waits. */
  firstDue: number;
  /** See `LeasedBatch`. */
  seenAt?: number;
};

/**
 * The port as an adapter implements it: rows, beside the deliveries that `FirstAttempts` has in memory, in the queue's time. Calls that
 * record when something happened get both times.
 */
export type StoredQueue = Omit<DeliveryQueue, 'enqueue' | 'lease' | 'record' | 'redeliver' | 'handOver'> & {
  enqueue: (batch: FanOutBatch, time: CallTime) => Promise<{ added: number }>;
  /** Undefined if the batch changes a listener. Waits for no write. Rejects with `CheckpointLost` and `LeaseLost` as `enqueue` does. */
  facts: (batch: FanOutBatch, queueNow: number) => Promise<Facts | undefined>;
  /**
   * `pendingSince`: due time of the first delivery in memory that is not under way, infinite if all are; undefined: there is none.
   * Resolves with undefined if they have to be written before: another process has written, or a row is due after the first.
   */
  lease: (request: LeaseRequest, pendingSince?: number) => Promise<LeasedBatch | undefined>;
  /** Leases the next rows of ordered listeners that are known: see `LeaseRequest`. Absent: none is. */
  leaseNextOf?: (listenerIds: readonly string[], request: LeaseRequest) => Promise<LeasedBatch>;
  /** Also writes the first deliveries: with their success, else as waiting; one that is under way without an outcome stays so. */
  record: (outcomes: readonly Outcome[], time: CallTime, first: readonly FirstDelivery[]) => Promise<Recorded>;
  redeliver: (query: DeliveryQuery, time: CallTime) => Promise<Redelivered>;
  /** Writes the deliveries as waiting. */
  write: (first: readonly FirstDelivery[]) => Promise<void>;
  /**
   * Selects the listeners, by ID, of which no delivery may be attempted now, or which have become ordered or unordered. Absent: none, as
   * long as `takeForeignWrites` says so.
   */
  restrained?: (listeners: readonly FirstListener[]) => Promise<{ closed: ReadonlySet<string>; seenAt: number }>;
  /** Has the rows of these organisations that are under way become due at this time. Absent: no other process attempts them. */
  postpone?: (has: (orgId: string) => boolean, dueAt: number) => Promise<void>;
  /** Moves checkpoints forward, other than those that their readers have lost. */
  moveCheckpoints: (checkpoints: readonly FanOutCheckpoint[]) => Promise<void>;
  /** Takes note of the writes of other processes since the last call, and returns whether there were any. */
  takeForeignWrites: () => boolean;
};

/** `asRead` of a delivery that was never written. */
export const neverWritten = asReadOf({ attempts: 0, requests: 0 });

/** A UUID has no space. */
export const messageName = ({ orgId, eventId }: Pick<Message, 'orgId' | 'eventId'>): string => `${eventId} ${orgId}`;
