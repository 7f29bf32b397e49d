import type { ListenerEvent } from '../../events/listener-events.js';
import { isRegistered, type Listener, registrationOf } from './listener.js';

export type UnsubscribeListener = {
  /** `requested` by the platform; `gone`: the hook answered 410; by an `operator`. */
  readonly reason: 'requested' | 'gone' | 'operator';
  /** Ends only this registration, never a later one of the same hook. Undefined: the current one. */
  readonly listenerId?: string;
};

/** Ends a registration. Repeating it changes nothing. Throws `ListenerNotFound` if the hook was never registered. */
export function unsubscribeListener({ reason, listenerId }: UnsubscribeListener, listener: Listener): ListenerEvent[] {
  const registration = registrationOf(listener);
  if (!isRegistered(listener)) return [];
  if (listenerId !== undefined && listenerId !== registration.listenerId) return [];
  return [{ type: 'ListenerUnsubscribed', data: { ...registration, reason, since: listener.since.toString() } }];
}
