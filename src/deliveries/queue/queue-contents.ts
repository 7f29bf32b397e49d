import type { DeliveryState, Message, QueuedListener } from './delivery.js';
import type { AttemptReport, DayOfAttempts, DeliveryRecord, MinuteOfActivity } from './delivery-log.js';
import type { SetAside, WaitingEvent } from './kept-events.js';
import type { ListenerHealth } from './policy/listener-health.js';

/** A listener and its gate. Of one that ended before it had any delivery nothing but the closed gate is known. */
export type KeptListener = Pick<QueuedListener, 'listenerId' | 'position'> & {
  readonly [Field in Exclude<keyof QueuedListener, 'listenerId' | 'position'>]: QueuedListener[Field] | undefined;
} & {
  readonly closed: boolean;
  /** Due time of its first waiting delivery, milliseconds since 1970; undefined if none waits. */
  readonly nextDue: number | undefined;
  /** Undefined if it is healthy. */
  readonly health: ListenerHealth | undefined;
};

/** A delivery, and the position of its flow event. A lease is left out: it is void once its holder is gone. */
export type KeptDelivery = Omit<DeliveryRecord, 'eventType' | 'publishedId'> & {
  readonly position: bigint;
  readonly endedAt: number | undefined;
  /** The attempts at it that are still known. */
  readonly log: readonly AttemptReport[];
};

/**
 * All that a queue holds, whatever keeps it: what is added to a queue is added here, and the compiler names each place
 * that has to take it along. What is called `position` is the place of an event, and another one in another event store.
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
  /** Number of deliveries in each state. */
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

/** Reads a section from its beginning, in batches of bounded size. Nothing stays open between two of them. */
export type SectionDump<Row> = {
  readonly count: () => number;
  readonly batches: () => Iterable<readonly Row[]>;
};

/** Writes a section and compares it. Every call is repeatable. */
export type SectionRestore<Row> = {
  readonly count: () => Promise<number>;
  /** The rows that are missing or differ. */
  readonly differing: (rows: readonly Row[]) => Promise<readonly Row[]>;
  /** Writes those that differ; the others cost no write. */
  readonly restore: (rows: readonly Row[]) => Promise<void>;
  readonly clear: () => Promise<void>;
};

export type QueueDump = { readonly [S in Section]: SectionDump<QueueContents[S]> };
export type QueueRestore = { readonly [S in Section]: SectionRestore<QueueContents[S]> };

type FinishedCopy = {
  readonly at: Date;
  /** Description of the store that was copied, as given to `finish`. */
  readonly source: string;
};

/**
 * Marks a database while a copy fills it: a service that worked on it before the end would send what was sent long ago.
 * The mark stays when the copy has ended: what a service has done since must not be undone by another copy.
 */
export type RestoreMark = {
  readonly read: () => Promise<'none' | 'unfinished' | FinishedCopy>;
  /** The name of a collection that holds something, if any does. */
  readonly findContent: () => Promise<string | undefined>;
  readonly begin: () => Promise<void>;
  readonly finish: (source: string) => Promise<void>;
};
