import type { Registration } from '../../events/listener-events.js';

/** What a listener event has made of a registration. */
export type ListenerChange = {
  readonly registration: Registration;
  readonly paused: boolean;
  /** Of the event. */
  readonly position: bigint;
};

/** Tells those who deliver what an event says, ahead of their reading it, so that it takes effect at once. Repeatable. */
export type NotifyChange = (change: ListenerChange) => Promise<void>;
