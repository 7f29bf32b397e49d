import type { ListenerEvent } from './events.js';
import { type Listener, registrationOf } from './listener.js';

/** Delivers to a paused hook again; changes nothing where it is not paused. Throws `ListenerNotFound` where it never was. */
export function resumeListener(listener: Listener): ListenerEvent[] {
  const registration = registrationOf(listener);
  if (listener.state !== 'paused') return [];
  return [{ type: 'ListenerResumed', data: { ...registration, since: listener.since.toString() } }];
}
