import type { DeliveryState, Message, QueuedListener } from './delivery.js';
import type { AttemptReport, DayOfAttempts, DeliveryRecord, MinuteOfActivity } from './delivery-log.js';
import type { SetAside, WaitingEvent } from './kept-events.js';
import type { ListenerHealth } from './policy/listener-health.js';

/** Of a listener that ended before it had a delivery, only the closed gate is known. */
export type KeptListener = Pick<QueuedListener, 'listenerId' | 'position'> & {
  readonly [Field in Exclude<keyof QueuedListener, 'listenerId' | 'position'>]: QueuedListener[Field] | undefined;
} & {
  readonly closed: boolean;
  readonly nextDue: number | undefined;
  readonly health: ListenerHealth | undefined;
};

/** A lease is left out: it is void once its holder is gone. */
export type KeptDelivery = Omit<DeliveryRecord, 'eventType' | 'publishedId'> & {
  readonly position: bigint;
  readonly endedAt: number | undefined;
  readonly log: readonly AttemptReport[];
};

/**
 * All that a queue holds: what is added to a queue is added here, and the compiler names each adapter that has to copy
 * it. A `position` is another one in another event store.
 */
export type QueueContents = {
  readonly messages: Message;
  readonly listeners: KeptListener;
  readonly deliveries: KeptDelivery;
  readonly setAside: SetAside;
  readonly waitingEvents: WaitingEvent & { readonly reader: string };
  readonly cancelledReplays: { readonly replay: string };
  readonly days: DayOfAttempts & { readonly orgId: string };
  readonly activity: MinuteOfActivity;
  readonly tally: { readonly state: DeliveryState; readonly deliveries: number };
  readonly checkpoints: { readonly reader: string; readonly position: bigint };
};

export type Section = keyof QueueContents;

/** In the order in which they are restored. */
export const sections: readonly Section[] = [
  'messages',
  'listeners',
  'deliveries',
  'setAside',
  'waitingEvents',
  'cancelledReplays',
  'days',
  'activity',
  'tally',
  'checkpoints',
];

/** Reads in batches of bounded size; nothing stays open between them. */
export type SectionDump<Row> = {
  readonly count: () => number;
  readonly batches: () => Iterable<readonly Row[]>;
};

/** Repeatable. */
export type SectionRestore<Row> = {
  readonly count: () => Promise<number>;
  readonly differing: (rows: readonly Row[]) => Promise<readonly Row[]>;
  readonly restore: (rows: readonly Row[]) => Promise<void>;
  readonly clear: () => Promise<void>;
};

export type QueueDump = { readonly [S in Section]: SectionDump<QueueContents[S]> };
export type QueueRestore = { readonly [S in Section]: SectionRestore<QueueContents[S]> };

type FinishedCopy = {
  readonly at: Date;
  readonly source: string;
};

/**
 * Marks a database while a copy fills it: a service that worked on it before the end would repeat old deliveries. The
 * mark stays, since another copy must not undo what a service has done.
 */
export type RestoreMark = {
  readonly read: () => Promise<'none' | 'unfinished' | FinishedCopy>;
  /** The name of a collection that holds something, if any does. */
  readonly findContent: () => Promise<string | undefined>;
  readonly begin: () => Promise<void>;
  readonly finish: (source: string) => Promise<void>;
};
