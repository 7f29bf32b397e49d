import type { ListenerEvent } from '../../events/listener-events.js';
import { isRegistered, type Listener, registrationOf } from './listener.js';

export type UnsubscribeListener = {
  /** `requested` by the platform, `gone`: the hook answered 410, `operator`. */
  readonly reason: 'requested' | 'gone' | 'operator';
  /** Only this registration: a successor on the same hook is left alone. Without it: whichever holds. */
  readonly listenerId?: string;
};

/** Ends a registration. Repeating it changes nothing. Throws `ListenerNotFound` where the hook was never registered. */
export function unsubscribeListener({ reason, listenerId }: UnsubscribeListener, listener: Listener): ListenerEvent[] {
  const registration = registrationOf(listener);
  if (!isRegistered(listener)) return [];
  if (listenerId !== undefined && listenerId !== registration.listenerId) return [];
  return [{ type: 'ListenerUnsubscribed', data: { ...registration, reason, since: listener.since.toString() } }];
}
