import type { Message, NewDelivery } from './delivery.js';
import type {
  FanOutBatch,
  FanOutCheckpoint,
  LeasedBatch,
  LeasedDelivery,
  LeaseRequest,
  Outcome,
  Recorded,
} from './leasing.js';
import type { QueueOnItsTime } from './on-queue-time.js';
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

/** Of a batch. */
export type Facts = {
  /** `isReady`: a delivery can be attempted at once, and none of its rows is due. */
  listeners: ReadonlyMap<string, FirstListener & { isReady: boolean }>;
  /** Names of the flow events that have a row. */
  known: ReadonlySet<string>;
  /** Due time of the first row; infinite if none waits. */
  firstDue: number;
};

/** The rows beside the deliveries that `FirstAttempts` has in memory. Times are the queue's. */
export type StoredQueue = Omit<QueueOnItsTime, 'enqueue' | 'lease' | 'record'> & {
  enqueue: (batch: FanOutBatch, time: CallTime) => Promise<{ added: number }>;
  /** Undefined if the batch changes a listener. Waits for no write. Rejects with `CheckpointLost` and `LeaseLost` as `enqueue` does. */
  facts: (batch: FanOutBatch, queueNow: number) => Promise<Facts | undefined>;
  /**
   * `pendingSince`: due time of the first delivery in memory that is not under way, infinite if all are; undefined: there is none.
   * Resolves with undefined if they have to be written before: another process has written, or a row is due after the first.
   */
  lease: (request: LeaseRequest, pendingSince?: number) => Promise<LeasedBatch | undefined>;
  /** Also writes the first deliveries: with their success, else as waiting; one that is under way without an outcome stays so. */
  record: (outcomes: readonly Outcome[], time: CallTime, first: readonly FirstDelivery[]) => Promise<Recorded>;
  /** Writes the deliveries as waiting. */
  write: (first: readonly FirstDelivery[]) => Promise<void>;
  /** Moves checkpoints forward, other than those that their readers have lost. */
  keep: (checkpoints: readonly FanOutCheckpoint[]) => Promise<void>;
  /** Returns whether another process has written since the last call. */
  changedOutside: () => boolean;
};

/** A UUID has no space. */
export const messageName = ({ orgId, eventId }: Pick<Message, 'orgId' | 'eventId'>): string => `${eventId} ${orgId}`;
