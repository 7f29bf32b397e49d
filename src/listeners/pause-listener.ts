import type { ListenerEvent } from '../events/listener-events.js';
import { type Listener, requireRegistered } from './listener.js';

/**
 * Pauses a listener: it stays, without deliveries. Changes nothing if it is paused already. Throws `ListenerNotFound`
 * unless this listener is current.
 */
export function pauseListener({ listenerId }: { readonly listenerId: string }, listener: Listener): ListenerEvent[] {
  const { state, details, since } = requireRegistered(listener, listenerId);
  if (state === 'paused') return [];
  return [{ type: 'ListenerPaused', data: { ...details, reason: 'operator', since: since.toString() } }];
}
