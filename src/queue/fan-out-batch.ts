import { DomainError } from '../kernel/domain-error.js';
import type { LeadershipLease } from '../stores/leases/leases.js';
import type { Message, NewDelivery, PutListener, SetAside, SetAsideChange, WaitingEvent } from './delivery.js';

/** Deliveries to enqueue in one call. The checkpoint becomes durable with the rest of the batch or after it. */
export type FanOutBatch = {
  messages: readonly Message[];
  listeners: readonly PutListener[];
  deliveries: readonly NewDelivery[];
  /** Listeners whose gates close after the deliveries of the batch are enqueued, which are cancelled too. */
  ended: readonly string[];
  /** Resumed listeners whose held deliveries become due after those of the batch. */
  released?: readonly Released[];
  cancelledReplays?: readonly string[];
  setAside: readonly SetAside[];
  /** Changes after the deliveries of the batch. No effect on events that are not there any more. */
  setAsideChanges?: readonly SetAsideChange[];
  /** Only the last part of a batch that is enqueued in parts moves it. Several are of different readers. */
  checkpoint?: FanOutCheckpoint | readonly FanOutCheckpoint[];
};

export const checkpointsOf = ({ checkpoint = [] }: FanOutBatch): readonly FanOutCheckpoint[] => [checkpoint].flat();

/** Batch to which a caller adds the parts that it has, such as a checkpoint alone. */
export const emptyBatch: FanOutBatch = { messages: [], listeners: [], deliveries: [], ended: [], setAside: [] };

/** Held deliveries of flow events before a position. */
export type Released = { listenerId: string; before: bigint };

/** Every event up to its position has been handed over, or waits in the queue. */
export type FanOutCheckpoint = {
  reader: string;
  position: bigint;
  waiting?: readonly WaitingEvent[];
  handedOver?: WaitingEvent;
  /** A checkpoint of an earlier term of the reader's lease is refused. */
  term?: bigint;
  lease?: ReaderLease;
  /**
   * The checkpoint follows another checkpoint of the reader, which enqueues everything after the queue's checkpoint again after a crash. If
   * the queue has none, it has lost its contents.
   */
  follows?: true;
};

/** The queue has lost the reader's checkpoint, and its other contents with it. */
export class CheckpointLost extends DomainError {
  readonly code = 'checkpoint_lost';

  constructor(readonly reader: string) {
    super(`the queue has lost the checkpoint of ${reader}`);
  }
}

/** The lease under which an instance reads for some organisations: see `LeadershipLease`. */
export type ReaderLease = Pick<LeadershipLease, 'isHeld' | 'signal'> & { has: (orgId: string) => boolean };

/** Another instance has it, or will: it continues from the stored checkpoint. */
export const isLost = ({ isHeld, signal }: Pick<ReaderLease, 'isHeld' | 'signal'>): boolean =>
  signal.aborted && !isHeld();

/** `added`: the number of new deliveries. */
export type Enqueued = { added: number };
