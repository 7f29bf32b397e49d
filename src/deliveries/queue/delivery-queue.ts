import { DomainError } from '../../kernel/domain-error.js';
import type { Message, NewDelivery, QueuedHook } from './delivery.js';
import type {
  AttemptReport,
  DayOfAttempts,
  DeliveryCounts,
  DeliveryQuery,
  KnownEvent,
  KnownEventsQuery,
  ListedDelivery,
  StatsQuery,
} from './delivery-log.js';
import type { HookState } from './hook-state.js';
import type { HookHealth } from './policy/hook-health.js';

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
  readonly hooks: readonly QueuedHook[];
  readonly deliveries: readonly NewDelivery[];
  /** Listeners that ended within the batch. Their gates close after its deliveries are in, which cancels those too. */
  readonly ended: readonly string[];
  /** Hooks that were resumed with what was held of them, which is due once the batch's deliveries are in. */
  readonly released?: readonly Released[];
  /** Replays that were cancelled: the same as `cancelReplay`. */
  readonly cancelledReplays?: readonly string[];
  readonly setAside: readonly SetAside[];
  /** Undefined for all but the last part of a batch that is handed over in parts. */
  readonly checkpoint?: FanOutCheckpoint;
  /**
   * After a crash, the caller hands the batch over again, starting from the queue's checkpoint. The queue may therefore write it
   * later, if it writes no later checkpoint before it.
   */
  readonly resentAfterCrash?: true;
};

/** What is held of a hook for flow events `before` that position. */
export type Released = { readonly listenerId: string; readonly before: bigint };

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

export type LeasedDelivery = Omit<NewDelivery, 'held'> &
  Omit<QueuedHook, 'position' | 'paused' | 'ratePerSecond'> & {
    /** Names this lease: an outcome counts only while the delivery is still leased under it. */
    readonly lease: string;
    readonly eventType: string;
    readonly body: string;
    /** The number of the attempt that this lease is for, from 1. */
    readonly attempt: number;
    /** When it was enqueued, milliseconds since 1970. */
    readonly enqueuedAt: number;
    /** When its flow event was recorded; undefined if not known. */
    readonly recordedAt: number | undefined;
  };

export type LeaseRequest = {
  /** Maximum number of deliveries in all, and of one hook including those that the caller has in flight. */
  readonly limit: number;
  readonly perListener: number;
  readonly underWay: ReadonlyMap<string, number>;
  /** Maximum number of deliveries of each of these hooks. */
  readonly hookLimits?: ReadonlyMap<string, number> | undefined;
  /**
   * Maximum number of deliveries of one organisation, including those that the caller has in flight. The fewer are left, the
   * fewer an organisation gets that has some: see `LeaseRoom`. Undefined: no limit, and the longest due come first.
   */
  readonly perOrganisation?: number | undefined;
  readonly underWayOf?: ReadonlyMap<string, number> | undefined;
  /** The most deliveries a second to one hook, of those that have no limit of their own. */
  readonly ratePerSecond?: number | undefined;
  /** Duration of the leases, independent of changes of the wall clock. Outcomes recorded after it are ignored. */
  readonly leaseMs: number;
  readonly now: number;
};

export type LeasedBatch = {
  readonly deliveries: readonly LeasedDelivery[];
  /**
   * When asking again may give more although nothing was enqueued or recorded: `now` if the limit was reached,
   * undefined where nothing waits apart from the hooks passed over.
   */
  readonly nextDueAt: number | undefined;
};

/** How many deliveries are new; what was leased in the same step, where the queue does so. */
export type Enqueued = { readonly added: number; readonly lease?: LeasedBatch };

export type Outcome = { readonly id: string; readonly lease: string } & (
  | { readonly kind: 'succeeded'; readonly report: AttemptReport }
  | ({ readonly kind: 'failed'; readonly retryAt: number } & Failure)
  | ({ readonly kind: 'exhausted' } & Failure)
  /** Not attempted: given back as it was, due at once, using up no attempt. */
  | { readonly kind: 'released' }
);

type Failure = {
  readonly report: AttemptReport;
  /** It says something about the hook: not where our own network, keys or resolver are to blame. */
  readonly byHook: boolean;
  /** What the answer's `Retry-After` asks for, of the whole hook: milliseconds since 1970. */
  readonly notBefore?: number | undefined;
};

/** What recorded outcomes came to. `troubled`: hooks of which an attempt has failed, and those whose breaker has closed. */
export type Recorded = { readonly counted: number; readonly troubled: readonly TroubledHook[] };

export type TroubledHook = Pick<QueuedHook, 'listenerId' | 'orgId' | 'hookUrl'> & {
  /** Before these outcomes, and after them. */
  readonly before: HookHealth;
  readonly health: HookHealth;
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

/** How much a step may do. */
export type PurgeRequest = {
  /** Milliseconds since 1970. */
  readonly before: number;
  /** Maximum number of deliveries. */
  readonly limit: number;
  /**
   * Milliseconds, after which a step that the calling thread does itself forgets no more; at least one delivery goes, however
   * large its body. A server's work keeps no thread: there the limit alone counts.
   */
  readonly withinMs?: number;
};

/**
 * The durable queue of deliveries. Every adapter passes `test/contract/delivery-queue.ts`.
 * Times are milliseconds since 1970 and are given by the caller, who has the clock. Errors: `StoreUnavailable`, `StoreUnusable`.
 */
export interface DeliveryQueue {
  /**
   * Idempotent: deliveries that are there stay what they are. Those of a listener whose gate is closed come in cancelled,
   * those of a hook that is paused held. A target that pauses a hook holds what waits; one that resumes it releases nothing.
   * What is `released` becomes due in the order of the flow events, unless its hook is paused again: nothing of a later batch
   * comes before it at an ordered hook.
   * Durable when it resolves; but one that `resentAfterCrash` may be lost with the process, and one whose checkpoint follows another
   * with the power, together with that checkpoint. Rejects with `LeaseLost`, the checkpoint staying where it is, where a later
   * term has moved it, and with `CheckpointLost` where it follows one that is not there. With a request, the queue may
   * lease what is due, as `lease` does, in the same step.
   */
  enqueue(batch: FanOutBatch, now: number, request?: LeaseRequest): Promise<Enqueued>;
  /** How far a reader has come: everything up to there has been handed over. */
  checkpoint(reader: string): Promise<bigint | undefined>;

  /**
   * Leases due deliveries of open gates: the hook whose delivery has been due longest first, of each hook its longest due;
   * of an ordered one its first that is neither at an end nor held, if that is due and nothing of the hook is under lease.
   * Hooks that have as many under way as they may are passed over, so none of them stands in the way of another; so are
   * those of organisations that have, and those whose health or rate allows none now (`hook-health.ts`), which is shared
   * by all instances.
   */
  lease(request: LeaseRequest): Promise<LeasedBatch>;
  /**
   * Outcomes whose lease has run out are left out. Behind a closed gate, what would wait is cancelled, and while the hook is
   * paused, held; what an attempt brought that was under way meanwhile is still written down. Each attempt goes into the
   * log and into the day's statistics, and into the hook's health.
   */
  record(outcomes: readonly Outcome[], now: number): Promise<Recorded>;

  /**
   * Makes deliveries due now, whatever has become of them: held, at an end, or waiting for a retry, which it replaces. The
   * numbers of their attempts go on; one that is under lease is due again after that attempt, whatever comes of it. None of
   * a closed gate or a paused hook. At most `limit` of those that the query lists (100 without it); returns how many, and
   * the cursor to go on after, if there are more.
   */
  redeliver(
    query: DeliveryQuery,
    now: number,
  ): Promise<{ readonly redelivered: number; readonly next: string | undefined }>;
  /** Cancels what waits or is held of a replay, and what of it is enqueued later. Returns how many were. Repeatable. */
  cancelReplay(replay: string): Promise<number>;

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
  /**
   * Deliveries of an organisation, those of the latest events first. 100 of them where no limit is given. Rejects with
   * `InvalidRequest` where `after` is none of its cursors, as `redeliver` does.
   */
  list(query: DeliveryQuery): Promise<readonly ListedDelivery[]>;
  /** The attempts at a delivery, in their order: the latest 100 of them. */
  attempts(orgId: string, deliveryId: string): Promise<readonly AttemptReport[]>;
  /** By day and hook. */
  stats(query: StatsQuery): Promise<readonly DayOfAttempts[]>;
  /** How these hooks are, and what keeps back what waits for them: those of them that the queue knows. */
  hookStates(listenerIds: readonly string[]): Promise<ReadonlyMap<string, HookState>>;
  /** How many hooks' breakers are open, or being probed, up to a thousand. */
  openBreakers(): Promise<number>;

  /** The flow event of this id, if it has gone by the fan-out. */
  knownEvent(orgId: string, eventId: string): Promise<KnownEvent | undefined>;
  /** The flow events of an organisation that have gone by the fan-out, in the order of their positions. */
  knownEvents(query: KnownEventsQuery): Promise<readonly KnownEvent[]>;

  /**
   * Forgets deliveries that ended before that moment, with their attempts, and the bodies that nothing needs any more; held
   * ones stay. One step at a time, so that other calls do not wait long. Returns how many deliveries were forgotten: 0
   * means that none are left.
   */
  purge(request: PurgeRequest): Promise<number>;

  /**
   * Forgets an organisation: its deliveries, whatever their state, its flow events, statistics and hooks, of which only the
   * closed gates stay. One step at a time, so that other calls do not wait long: returns how many rows it has removed; fewer
   * than the limit means that none are left. What is handed over of it later is taken as of any other.
   */
  forgetOrganisation(request: { readonly orgId: string; readonly limit: number }): Promise<number>;
  close(): Promise<void>;
}
