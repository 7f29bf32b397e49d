import { DomainError } from '../domain-error.js';

/** Where a delivery is: `waiting` for its due time, a lease on it included; the other three are ends. */
export type DeliveryState = 'waiting' | 'succeeded' | 'exhausted' | 'cancelled';

/** A flow event as it is sent: `body` is made once and sent byte for byte the same at every attempt to every hook. */
export type Message = {
  /** The flow event's id, unique within its organisation. */
  readonly eventId: string;
  readonly orgId: string;
  readonly type: string;
  readonly position: bigint;
  readonly body: string;
};

/** A hook as the queue knows it. One of a later `position` replaces an earlier one of the same listener. */
export type Target = {
  readonly listenerId: string;
  readonly orgId: string;
  readonly hookUrl: string;
  readonly keyGeneration: string;
  readonly secretVersion: number;
  /** Of the listener event that says so. */
  readonly position: bigint;
};

export type NewDelivery = {
  /** UUIDv5 of organisation, flow event, listener and replay, if any: enqueued again, it stays what it was. */
  readonly id: string;
  /** The same for one event and listener, whatever retries, redeliveries or replays. */
  readonly webhookId: string;
  readonly orgId: string;
  readonly eventId: string;
  readonly listenerId: string;
};

/** A flow or listener event that could not be decoded; kept until an operator has it retried and that succeeds. */
export type SetAside = {
  readonly position: bigint;
  readonly stream: string;
  readonly revision: bigint;
  readonly type: string;
  readonly reason: string;
};

/** What the fan-out hands over: its checkpoint becomes durable with the rest of it or after it. */
export type FanOutBatch = {
  readonly messages: readonly Message[];
  readonly targets: readonly Target[];
  readonly deliveries: readonly NewDelivery[];
  /** Listeners that ended within the batch. Their gates close after its deliveries are in, which cancels those too. */
  readonly ended: readonly string[];
  readonly setAside: readonly SetAside[];
  /** Undefined for all but the last part of a batch that is handed over in parts. */
  readonly checkpoint?: FanOutCheckpoint;
};

export type FanOutCheckpoint = {
  readonly reader: string;
  readonly position: bigint;
  /** Of the reader's lease, where several instances share the queue. One of an earlier term than before moves nothing. */
  readonly term?: bigint;
  /** It follows another. Where the queue knows of none, what it knew has been lost, and this is no new beginning. */
  readonly follows?: true;
};

/** The reader's checkpoint was lost under it, and with that whatever else the queue knew. */
export class CheckpointLost extends DomainError {
  readonly code = 'checkpoint_lost';

  constructor(readonly reader: string) {
    super(`the queue has lost the checkpoint of ${reader}`);
  }
}

export type LeasedDelivery = NewDelivery &
  Omit<Target, 'position'> & {
    /** Names this lease: an outcome counts only while the delivery is still leased under it. */
    readonly lease: string;
    readonly eventType: string;
    readonly body: string;
    /** The number of the attempt that this lease is for, from 1. */
    readonly attempt: number;
    /** When it was enqueued, milliseconds since 1970. */
    readonly enqueuedAt: number;
  };

export type LeaseRequest = {
  /** At most so many in all, and so many of one hook together with those that the caller has under way. */
  readonly limit: number;
  readonly perListener: number;
  readonly underWay: ReadonlyMap<string, number>;
  /** The leases end at `now + leaseMs`: what their holder does with them afterwards counts for nothing. */
  readonly leaseMs: number;
  readonly now: number;
};

export type Lease = {
  readonly deliveries: readonly LeasedDelivery[];
  /**
   * When asking again may give more although nothing was enqueued or recorded: `now` where the limit cut it short,
   * undefined where nothing waits apart from the hooks passed over.
   */
  readonly nextDueAt: number | undefined;
};

/** What an attempt saw, for the log: never the hook's URL, at most the first bytes of its answer. */
export type AttemptReport = {
  readonly startedAt: number;
  readonly durationMs: number;
  /** HTTP status; undefined where there was no answer. */
  readonly status?: number;
  /** A class of failure: `connect_timeout`, `refused`, `tls`, `target_not_allowed`, `http_status` … */
  readonly error?: string;
};

export type Outcome = { readonly id: string; readonly lease: string } & (
  | { readonly kind: 'succeeded'; readonly report: AttemptReport }
  | { readonly kind: 'failed'; readonly report: AttemptReport; readonly retryAt: number }
  | { readonly kind: 'exhausted'; readonly report: AttemptReport }
  /** Not attempted: given back as it was, due at once, using up no attempt. */
  | { readonly kind: 'released' }
);

export type DeliveryRecord = NewDelivery & {
  readonly state: DeliveryState;
  /** Attempts made so far. */
  readonly attempts: number;
  readonly dueAt: number | undefined;
  readonly enqueuedAt: number;
  readonly lastStatus: number | undefined;
  readonly lastError: string | undefined;
  readonly lastAttemptAt: number | undefined;
};

export type DeliveryCounts = Readonly<Record<DeliveryState, number>> & {
  readonly setAside: number;
  /** When the longest waiting of the due ones became due; undefined where none is. */
  readonly oldestDueAt: number | undefined;
};

export type DeliveryQuery = {
  readonly orgId: string;
  readonly eventId?: string;
  readonly listenerId?: string;
  readonly limit?: number;
};

export type SetAsideQuery = {
  /** Only this very event. */
  readonly event?: SetAsideEvent;
  /** Only those at later positions: the position of the last one of the page before. */
  readonly after?: bigint;
  /** 100 without it. */
  readonly limit?: number;
};

/** Where the event stands in the event store. */
export type SetAsideEvent = Pick<SetAside, 'stream' | 'revision'>;

/**
 * The durable queue of deliveries. Every adapter passes `test/contract/delivery-queue.ts`.
 * Times are milliseconds since 1970 and are given by the caller, who has the clock. Errors: `StoreUnavailable`, `StoreUnusable`.
 */
export interface DeliveryQueue {
  /**
   * Idempotent: deliveries that are there stay what they are. Those of a listener whose gate is closed come in cancelled.
   * Rejects with `LeaseLost`, the checkpoint staying where it is, where a later term has moved it, and with
   * `CheckpointLost` where it follows one that is not there.
   */
  enqueue(batch: FanOutBatch, now: number): Promise<{ readonly added: number }>;
  /** How far a reader has come: everything up to there has been handed over. */
  checkpoint(reader: string): Promise<bigint | undefined>;

  /**
   * Leases due deliveries of open gates: the hook whose delivery has been due longest first, of each hook its longest due.
   * Hooks that have as many under way as they may are passed over, so none of them stands in the way of another.
   */
  lease(request: LeaseRequest): Promise<Lease>;
  /**
   * Outcomes whose lease has run out are left out. Returns how many counted. Behind a closed gate, what would wait is
   * cancelled; what an attempt brought that was under way when the gate closed is still written down.
   */
  record(outcomes: readonly Outcome[], now: number): Promise<number>;

  /** Ends a listener for good: nothing of it is leased any more, what waits is cancelled. Returns how much was. Repeatable. */
  closeGate(listenerId: string): Promise<number>;
  /** Which of these listeners' gates are not known to be open: one that the queue has lost counts as closed. */
  closedGates(listenerIds: readonly string[]): Promise<ReadonlySet<string>>;

  /** What was set aside, in the order of the positions. */
  listSetAside(query?: SetAsideQuery): Promise<readonly SetAside[]>;
  /** Keeps the reason that a retry has found. One that is there no more stays away. */
  explainSetAside(position: bigint, reason: string): Promise<void>;
  /** Forgets it, once its deliveries are in. Repeatable. */
  removeSetAside(position: bigint): Promise<void>;

  counts(now: number): Promise<DeliveryCounts>;
  /** Deliveries of an organisation, those of the latest events first. 100 of them where no limit is given. */
  list(query: DeliveryQuery): Promise<readonly DeliveryRecord[]>;
  close(): Promise<void>;
}
