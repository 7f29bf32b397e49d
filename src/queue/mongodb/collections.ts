import type { Collection, Db } from 'mongodb';
import type { DeliveryState, Message, QueuedListener, SetAside, WaitingEvent } from '../delivery.js';
import type { AttemptReport, AttemptsOfPeriod, DayOfAttempts, MinuteOfActivity } from '../delivery-log.js';
import type { ListenerHealth } from '../policy/listener-health.js';

/** A flow event with its body, stored once for all its deliveries. `_id`: see `messageKey`. */
export type MessageRow = Message & {
  _id: string;
  /** Token of the purge that is checking whether a delivery still needs the body. */
  leaving?: string;
  /** Token of the step that is checking whether the event may be forgotten. */
  forgetting?: string;
};

/**
 * A listener and its gate; `_id` is the listener ID. A listener that ended before its first delivery has only a closed gate.
 */
export type ListenerRow = Partial<Omit<QueuedListener, 'listenerId' | 'position'>> & {
  _id: string;
  /** Position of the listener event that was written last; -1 where only the gate is known. */
  position: bigint;
  closed: boolean;
  /** See `partitionOf`. Absent until an instance that fans out has written the listener. */
  partition?: number;
  /**
   * Due bound: lower bound of the times at which the listener's waiting deliveries may be leased, also of those under way. Deliveries
   * that are `unannounced`, and those of a batch that will be enqueued again, may be earlier. Absent if no delivery waits.
   */
  nextDue?: Date;
  /** Version of the due bound, under the name of 1.0.0: incremented with each wake-up, so that a lease moves the bound only by compare and set. */
  hintVersion: number;
  /**
   * Due time of the first delivery that the breaker, backoff or rate limit delays; `nextDue` is the end of the delay.
   */
  dueSince?: Date;
  health?: ListenerHealth;
  /** Version of `health`, for compare and set: a random UUID of the latest write. */
  version?: string;
};

/** Kept small, because millions may wait: shared data is in the message and in the listener. */
export type DeliveryRow = {
  _id: string;
  webhookId: string;
  orgId: string;
  eventId: string;
  listenerId: string;
  replay?: string;
  /** Position of the flow event. */
  position: bigint;
  state: DeliveryState;
  attempts: number;
  /** Due time of a waiting delivery, in queue time. */
  dueAt?: Date;
  /** Number of requested redeliveries. */
  requests?: number;
  /** Removed only after the listener's due bound includes the delivery. */
  unannounced?: true;
  /** Time of its final state; the purge selects by it. */
  endedAt?: Date;
  enqueuedAt: Date;
  lastStatus?: number | null;
  lastError?: string | null;
  lastAttemptAt?: Date;
  /** The latest attempts, oldest first. */
  log?: readonly AttemptReport[];
};

type CheckpointRow = { _id: string; position: bigint; term: bigint };
export type SetAsideRow = Omit<SetAside, 'position'> & { _id: bigint };
export type WaitingEventRow = WaitingEvent & { _id: string; reader: string };
/** Number of deliveries in a state, kept as a running sum. */
type StateCountRow = { _id: DeliveryState; deliveries: number };
/** A cancelled replay: its deliveries are enqueued as cancelled. */
type CancelledReplayRow = { _id: string };
/**
 * Record of a process that proves the primary by writing it. `invalidated`: number of listeners that had to be forgotten, the latest of which are
 * `listenerIds`. Without `at`: of an earlier version.
 */
export type PrimaryRow = { _id: string; times: bigint; invalidated: number; listenerIds: readonly string[]; at: Date };
/** `upTo`: its latest half hour that is part of it. */
export type DayRow = DayOfAttempts & { _id: string; orgId: string; upTo?: number };
/** `_id`: see `halfHourKey`. Without a duration: of an earlier version, which counted its attempts in the day too. */
export type HalfHourRow = AttemptsOfPeriod & { _id: string; orgId: string };
/** `_id`: when the minute began. */
type ActivityRow = Omit<MinuteOfActivity, 'at'> & { _id: Date };

export type Collections = {
  messages: Collection<MessageRow>;
  listeners: Collection<ListenerRow>;
  deliveries: Collection<DeliveryRow>;
  checkpoints: Collection<CheckpointRow>;
  setAside: Collection<SetAsideRow>;
  waitingEvents: Collection<WaitingEventRow>;
  stateCounts: Collection<StateCountRow>;
  cancelledReplays: Collection<CancelledReplayRow>;
  days: Collection<DayRow>;
  halfHours: Collection<HalfHourRow>;
  activity: Collection<ActivityRow>;
  primary: Collection<PrimaryRow>;
};

/** Writes use the database's write concern: majority and journal. */
export function collectionsOf(db: Db): Collections {
  // Reads the primary's latest data: a gate that a majority has not yet acknowledged as closed is better seen closed
  // early. Writes that follow are acknowledged by a majority.
  const latest = { readConcern: { level: 'local' }, readPreference: 'primary' } as const;
  return {
    messages: db.collection<MessageRow>('queue.messages', latest),
    listeners: db.collection<ListenerRow>('queue.listeners', latest),
    deliveries: db.collection<DeliveryRow>('queue.deliveries', latest),
    checkpoints: db.collection<CheckpointRow>('queue.checkpoints', latest),
    setAside: db.collection<SetAsideRow>('queue.setAside', latest),
    waitingEvents: db.collection<WaitingEventRow>('queue.waitingEvents', latest),
    stateCounts: db.collection<StateCountRow>('queue.tally', latest),
    cancelledReplays: db.collection<CancelledReplayRow>('queue.cancelledReplays', latest),
    days: db.collection<DayRow>('queue.days', latest),
    halfHours: db.collection<HalfHourRow>('queue.halfHours', latest),
    activity: db.collection<ActivityRow>('queue.activity', latest),
    primary: db.collection<PrimaryRow>('queue.primary', latest),
  };
}

/** JSON keeps the two parts distinct. */
export const messageKey = ({ orgId, eventId }: { orgId: string; eventId: string }): string =>
  JSON.stringify([orgId, eventId]);

export const dayKey = ({ listenerId, day }: { listenerId: string; day: string }): string => `${listenerId} ${day}`;

type HalfHour = { listenerId: string; at: number };

/** Key in the order of time. */
export const halfHourKey = (halfHour: HalfHour): string => `${earlierHalfHourKey(halfHour)} attempts`;

/** Key of rows without a duration. */
export const earlierHalfHourKey = ({ listenerId, at }: HalfHour): string =>
  `${new Date(at).toISOString()} ${listenerId}`;
