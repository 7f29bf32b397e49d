import type { ListenerEvent } from './events.js';
import { type Listener, registrationOf } from './listener.js';

/** Keeps a registration but delivers nothing to it; changes nothing where it is not active. Throws `ListenerNotFound` where it never was. */
export function pauseListener({ reason }: { readonly reason: string }, listener: Listener): ListenerEvent[] {
  const registration = registrationOf(listener);
  if (listener.state !== 'active') return [];
  return [{ type: 'ListenerPaused', data: { ...registration, reason, since: listener.since.toString() } }];
}
