import type { ListenerEvent } from '../events/listener-events.js';
import { detailsOf, isRegistered, type Listener } from './listener.js';

export type UnsubscribeListener = {
  /** `requested` by the platform; `gone`: the listener answered 410; by an `operator`. */
  readonly reason: 'requested' | 'gone' | 'operator';
  /** Ends only this listener, never a later one of the same listener. Undefined: the current one. */
  readonly listenerId?: string;
};

/** Ends a listener. Repeating it changes nothing. Throws `ListenerNotFound` if the listener was never registered. */
export function unsubscribeListener({ reason, listenerId }: UnsubscribeListener, listener: Listener): ListenerEvent[] {
  const details = detailsOf(listener);
  if (!isRegistered(listener)) return [];
  if (listenerId !== undefined && listenerId !== details.listenerId) return [];
  return [{ type: 'ListenerUnsubscribed', data: { ...details, reason, since: listener.since.toString() } }];
}
