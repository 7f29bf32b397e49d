import type { DeliveryState, Message, QueuedListener, SetAside, WaitingEvent } from './delivery.js';
import type {
  AttemptReport,
  AttemptsOfPeriod,
  DayOfAttempts,
  DeliveryRecord,
  MinuteOfActivity,
} from './delivery-log.js';
import type { ListenerHealth } from './policy/listener-health.js';

/** Listener as it is copied; of one that ended before it had a delivery, only the closed gate is known. */
export type KeptListener = Pick<QueuedListener, 'listenerId' | 'position'> & {
  readonly [Field in Exclude<keyof QueuedListener, 'listenerId' | 'position'>]: QueuedListener[Field] | undefined;
} & {
  closed: boolean;
  nextDue: number | undefined;
  health: ListenerHealth | undefined;
};

/** A lease is left out: it is void once its holder is gone. */
export type KeptDelivery = Omit<DeliveryRecord, 'eventType' | 'publishedId'> & {
  position: bigint;
  endedAt: number | undefined;
  log: readonly AttemptReport[];
};

/**
 * All that a queue holds: what is added to a queue is added here, and the compiler names each adapter that has to copy
 * it. A `position` is another one in another event store.
 */
export type QueueContents = {
  messages: Message;
  listeners: KeptListener;
  deliveries: KeptDelivery;
  setAside: SetAside;
  waitingEvents: WaitingEvent & { reader: string };
  cancelledReplays: { replay: string };
  /** Days without the half hours. */
  days: DayOfAttempts & { orgId: string };
  halfHours: AttemptsOfPeriod & { orgId: string };
  activity: MinuteOfActivity;
  stateCounts: { state: DeliveryState; deliveries: number };
  checkpoints: { reader: string; position: bigint };
};

export type Section = keyof QueueContents;

/** Sections in the order in which they are restored. */
export const sections: readonly Section[] = [
  'messages',
  'listeners',
  'deliveries',
  'setAside',
  'waitingEvents',
  'cancelledReplays',
  'days',
  'halfHours',
  'activity',
  'stateCounts',
  'checkpoints',
];

/** Reads in batches of bounded size; nothing stays open between them. */
export type SectionDump<Row> = {
  count: () => number;
  batches: () => Iterable<readonly Row[]>;
};

/** Repeatable. */
export type SectionRestore<Row> = {
  count: () => Promise<number>;
  differing: (rows: readonly Row[]) => Promise<readonly Row[]>;
  restore: (rows: readonly Row[]) => Promise<void>;
  clear: () => Promise<void>;
};

export type QueueDump = { readonly [S in Section]: SectionDump<QueueContents[S]> };
export type QueueRestore = { readonly [S in Section]: SectionRestore<QueueContents[S]> };

type FinishedCopy = {
  at: Date;
  source: string;
};

/**
 * Marks a database while a copy fills it: a service that worked on it before the end would repeat old deliveries. The
 * mark stays, since another copy must not undo what a service has done.
 */
export type RestoreMark = {
  read: () => Promise<'none' | 'unfinished' | FinishedCopy>;
  /** The name of a collection that holds something, if any does. */
  findContent: () => Promise<string | undefined>;
  begin: () => Promise<void>;
  finish: (source: string) => Promise<void>;
};
