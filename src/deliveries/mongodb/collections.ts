import type { Collection, Db } from 'mongodb';
import type { DeliveryState, Message, Target } from '../queue/delivery.js';
import type { AttemptReport, DayOfAttempts } from '../queue/delivery-log.js';
import type { SetAside } from '../queue/delivery-queue.js';
import type { HookHealth } from '../queue/hook-health.js';

/** A flow event's body, once, however many hooks it goes to. `_id`: see `messageKey`. */
export type MessageRow = Message & {
  readonly _id: string;
  /** Names the purge that is about to find out whether anybody still needs the body. */
  readonly leaving?: string;
};

/** A hook and its gate; `_id` is the listener ID. One that ended before it had any delivery is only a closed gate. */
export type TargetRow = Partial<Omit<Target, 'listenerId' | 'position'>> & {
  readonly _id: string;
  /** -1 where nothing but the gate is known. */
  readonly position: bigint;
  readonly closed: boolean;
  /**
   * A hint when to look at this hook's deliveries: never later than one that waits and is under no lease may be leased,
   * unless that has a `recheckAt` or its batch is going to be enqueued again. Absent where there is none.
   */
  readonly nextDue?: Date;
  /** Counts what was added to the hook's waiting deliveries: who has looked at them may move the hint only if none was. */
  readonly wakes: number;
  /** Since when something of it has been due that its health or rate keeps back; the hint says until when. */
  readonly dueSince?: Date;
  readonly health?: HookHealth;
  /** Of an ordered hook: who may have a delivery of it under lease, and until when at most. */
  readonly turn?: { readonly lease: string; readonly until: Date };
  /** Names the latest write of `health` or `turn`: each of them is made only where it is still the one that was read. */
  readonly mark?: string;
};

/** Small: millions of them wait, and what they share is kept with the message and the target. */
export type DeliveryRow = {
  readonly _id: string;
  readonly webhookId: string;
  readonly orgId: string;
  readonly eventId: string;
  readonly listenerId: string;
  readonly replay?: string | undefined;
  /** Of the flow event. */
  readonly position: bigint;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly dueAt?: Date;
  /** When it may be leased: its due time, or the end of the lease that is on it. */
  readonly freeAt: Date;
  readonly lease?: string;
  /** When its lease ends. It stays, though the lease has been given back, until the hook's hint knows of the delivery. */
  readonly recheckAt?: Date;
  /** Under a lease: it has been asked for again, and is due then once that attempt is over. */
  readonly again?: Date;
  /** When it came to its end; what purging goes by. */
  readonly endedAt?: Date;
  readonly enqueuedAt: Date;
  readonly lastStatus?: number | null;
  readonly lastError?: string | null;
  readonly lastAttemptAt?: Date;
  /** The latest attempts, in their order. */
  readonly log?: readonly AttemptReport[];
};

export type CheckpointRow = { readonly _id: string; readonly position: bigint; readonly term: bigint };
export type SetAsideRow = Omit<SetAside, 'position'> & { readonly _id: bigint };
/** How many deliveries have come into a state less how many have left it. */
export type TallyRow = { readonly _id: DeliveryState; readonly deliveries: number };
/** A replay that was cancelled: what is enqueued of it comes in cancelled. */
export type CancelledReplayRow = { readonly _id: string };
/** How often a server has been confirmed to be the primary. It is written so that a majority acknowledges it, and never read. */
export type PrimaryRow = { readonly _id: string; readonly times: bigint };
export type DayRow = DayOfAttempts & { readonly _id: string; readonly orgId: string };

export type Collections = {
  readonly messages: Collection<MessageRow>;
  readonly targets: Collection<TargetRow>;
  readonly deliveries: Collection<DeliveryRow>;
  readonly checkpoints: Collection<CheckpointRow>;
  readonly setAside: Collection<SetAsideRow>;
  readonly tally: Collection<TallyRow>;
  readonly cancelledReplays: Collection<CancelledReplayRow>;
  readonly days: Collection<DayRow>;
  readonly primary: Collection<PrimaryRow>;
};

/** What the database says of write concerns holds: by a majority, and journalled. */
export function collectionsOf(db: Db): Collections {
  // The primary's latest: a gate that is only about to be closed by a majority is better seen closed early, and a lease
  // that somebody else is about to have is not worth competing for. Whatever follows from it is acknowledged by a majority.
  const latest = { readConcern: { level: 'local' }, readPreference: 'primary' } as const;
  return {
    messages: db.collection<MessageRow>('queue.messages', latest),
    targets: db.collection<TargetRow>('queue.targets', latest),
    deliveries: db.collection<DeliveryRow>('queue.deliveries', latest),
    checkpoints: db.collection<CheckpointRow>('queue.checkpoints', latest),
    setAside: db.collection<SetAsideRow>('queue.setAside', latest),
    tally: db.collection<TallyRow>('queue.tally', latest),
    cancelledReplays: db.collection<CancelledReplayRow>('queue.cancelledReplays', latest),
    days: db.collection<DayRow>('queue.days', latest),
    primary: db.collection<PrimaryRow>('queue.primary', latest),
  };
}

/** As JSON the parts cannot run into each other. */
export const messageKey = ({ orgId, eventId }: { readonly orgId: string; readonly eventId: string }): string =>
  JSON.stringify([orgId, eventId]);

export const dayKey = ({ listenerId, day }: { readonly listenerId: string; readonly day: string }): string =>
  `${listenerId} ${day}`;
