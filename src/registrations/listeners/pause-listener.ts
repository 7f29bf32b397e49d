import type { ListenerEvent } from '../../events/listener-events.js';
import { type Listener, requireRegistered } from './listener.js';

/**
 * Pauses a registration: it stays, without deliveries. Changes nothing if it is paused already. Throws `ListenerNotFound`
 * unless this registration is current.
 */
export function pauseListener({ listenerId }: { readonly listenerId: string }, listener: Listener): ListenerEvent[] {
  const { state, registration, since } = requireRegistered(listener, listenerId);
  if (state === 'paused') return [];
  return [{ type: 'ListenerPaused', data: { ...registration, reason: 'operator', since: since.toString() } }];
}
