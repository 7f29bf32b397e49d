import type { Collection, Db } from 'mongodb';
import type { DeliveryState, Message, QueuedListener } from '../queue/delivery.js';
import type { AttemptReport, DayOfAttempts, MinuteOfActivity } from '../queue/delivery-log.js';
import type { SetAside, WaitingEvent } from '../queue/kept-events.js';
import type { ListenerHealth } from '../queue/policy/listener-health.js';

/** A flow event with its body, stored once for all its deliveries. `_id`: see `messageKey`. */
export type MessageRow = Message & {
  readonly _id: string;
  /** Token of the purge that is checking whether a delivery still needs the body. */
  readonly leaving?: string;
  /** Token of the step that is checking whether the event may be forgotten. */
  readonly forgetting?: string;
};

/**
 * A listener and its gate; `_id` is the listener ID. A listener that ended before its first delivery has only a closed gate.
 */
export type ListenerRow = Partial<Omit<QueuedListener, 'listenerId' | 'position'>> & {
  readonly _id: string;
  /** Position of the listener event that was written last; -1 where only the gate is known. */
  readonly position: bigint;
  readonly closed: boolean;
  /** See `partitionOf`. Absent until an instance that fans out has written the listener. */
  readonly partition?: number;
  /**
   * Due hint: lower bound of the times at which the listener's waiting, unleased deliveries may be leased. Deliveries with
   * a `leaseCheckAt`, and those of a batch that will be enqueued again, may be earlier. Absent if no delivery waits.
   */
  readonly nextDue?: Date;
  /** Version of the due hint: incremented with each wake-up, so that a lease moves the hint only by compare and set. */
  readonly hintVersion: number;
  /**
   * Due time of the first delivery that the breaker, backoff or rate limit delays; `nextDue` is the end of the delay.
   */
  readonly dueSince?: Date;
  readonly health?: ListenerHealth;
  /** Lock of an ordered listener, or of a probe: the token of the lease that may hold a delivery, and the lock's expiry in server time. */
  readonly turn?: { readonly lease: string; readonly until: Date };
  /** Version of `health` and `turn`, for compare and set: a random UUID of the latest write. */
  readonly version?: string;
};

/** Kept small, because millions may wait: shared data is in the message and in the listener. */
export type DeliveryRow = {
  readonly _id: string;
  readonly webhookId: string;
  readonly orgId: string;
  readonly eventId: string;
  readonly listenerId: string;
  readonly replay?: string | undefined;
  /** Position of the flow event. */
  readonly position: bigint;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly dueAt?: Date;
  /** Leasable at: the due time without a lease (queue time), else the lease expiry (server time). */
  readonly leasableAt: Date;
  readonly lease?: string;
  /** Lease check at: the lease expiry in server time. Removed only after the listener's due hint includes the delivery. */
  readonly leaseCheckAt?: Date;
  /** Redeliver after the lease: when a redelivery was requested while an attempt is under way. */
  readonly redeliveryRequestedAt?: Date;
  /** Time of its final state; the purge selects by it. */
  readonly endedAt?: Date;
  readonly enqueuedAt: Date;
  readonly lastStatus?: number | null;
  readonly lastError?: string | null;
  readonly lastAttemptAt?: Date;
  /** The latest attempts, oldest first. */
  readonly log?: readonly AttemptReport[];
};

type CheckpointRow = { readonly _id: string; readonly position: bigint; readonly term: bigint };
export type SetAsideRow = Omit<SetAside, 'position'> & { readonly _id: bigint };
export type WaitingEventRow = WaitingEvent & { readonly _id: string; readonly reader: string };
/** Number of deliveries in a state, kept as a running sum. */
type TallyRow = { readonly _id: DeliveryState; readonly deliveries: number };
/** A cancelled replay: its deliveries are enqueued as cancelled. */
type CancelledReplayRow = { readonly _id: string };
/** Number of confirmations of the primary. Written with majority acknowledgement, never read. */
type PrimaryRow = { readonly _id: string; readonly times: bigint };
/** One life of an instance that leases: see `Heartbeat`. `beat` is raised while it lasts. */
export type InstanceRow = { readonly _id: string; readonly beat: number };
export type DayRow = DayOfAttempts & { readonly _id: string; readonly orgId: string };
/** `_id`: when the minute began. */
type ActivityRow = Omit<MinuteOfActivity, 'at'> & { readonly _id: Date };

export type Collections = {
  readonly messages: Collection<MessageRow>;
  readonly listeners: Collection<ListenerRow>;
  readonly deliveries: Collection<DeliveryRow>;
  readonly checkpoints: Collection<CheckpointRow>;
  readonly setAside: Collection<SetAsideRow>;
  readonly waitingEvents: Collection<WaitingEventRow>;
  readonly tally: Collection<TallyRow>;
  readonly cancelledReplays: Collection<CancelledReplayRow>;
  readonly days: Collection<DayRow>;
  readonly activity: Collection<ActivityRow>;
  readonly primary: Collection<PrimaryRow>;
  readonly instances: Collection<InstanceRow>;
};

/** Writes use the database's write concern: majority and journal. */
export function collectionsOf(db: Db): Collections {
  // Reads the primary's latest data: a gate that a majority has not yet acknowledged as closed is better seen closed
  // early, and competing for a lease that another instance is writing is useless. Writes that follow are acknowledged
  // by a majority.
  const latest = { readConcern: { level: 'local' }, readPreference: 'primary' } as const;
  return {
    messages: db.collection<MessageRow>('queue.messages', latest),
    listeners: db.collection<ListenerRow>('queue.listeners', latest),
    deliveries: db.collection<DeliveryRow>('queue.deliveries', latest),
    checkpoints: db.collection<CheckpointRow>('queue.checkpoints', latest),
    setAside: db.collection<SetAsideRow>('queue.setAside', latest),
    waitingEvents: db.collection<WaitingEventRow>('queue.waitingEvents', latest),
    tally: db.collection<TallyRow>('queue.tally', latest),
    cancelledReplays: db.collection<CancelledReplayRow>('queue.cancelledReplays', latest),
    days: db.collection<DayRow>('queue.days', latest),
    activity: db.collection<ActivityRow>('queue.activity', latest),
    primary: db.collection<PrimaryRow>('queue.primary', latest),
    instances: db.collection<InstanceRow>('queue.instances', latest),
  };
}

/** JSON keeps the two parts distinct. */
export const messageKey = ({ orgId, eventId }: { readonly orgId: string; readonly eventId: string }): string =>
  JSON.stringify([orgId, eventId]);

export const dayKey = ({ listenerId, day }: { readonly listenerId: string; readonly day: string }): string =>
  `${listenerId} ${day}`;
