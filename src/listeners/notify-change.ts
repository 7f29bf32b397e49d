import type { ListenerDetails } from '../events/listener-events.js';

/** A listener after a listener event. */
export type ListenerChange = {
  readonly details: ListenerDetails;
  readonly paused: boolean;
  /** Position of the event. */
  readonly position: bigint;
};

/** Notifies the delivery queue of an event before the fan-out reads it, so that the change takes effect at once. Idempotent. */
export type NotifyChange = (change: ListenerChange) => Promise<void>;
