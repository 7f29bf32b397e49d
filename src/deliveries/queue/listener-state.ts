import type { QueuedListener } from './delivery.js';
import type { ListenerHealth } from './policy/listener-health.js';

/** What the queue knows of a listener that decides when its deliveries are leased. Times in milliseconds since 1970. */
export type ListenerState = {
  readonly health: ListenerHealth;
  readonly paused: boolean;
  /** The ID of the delivery that an ordered listener gets next; undefined where none waits, and where the listener is not ordered. */
  readonly head: string | undefined;
  /** Until when the listener's health or rate keeps back what is due; undefined where nothing due was kept back when it was leased last. */
  readonly keptBackUntil: number | undefined;
};

/** A listener whose deliveries do not get through. Times in milliseconds since 1970. */
export type ListenerInTrouble = Pick<QueuedListener, 'listenerId' | 'orgId' | 'hookUrl'> & {
  readonly health: ListenerHealth;
  readonly paused: boolean;
  /** When the longest waiting of its deliveries became due, or will be; undefined where none waits. */
  readonly dueSince: number | undefined;
};
