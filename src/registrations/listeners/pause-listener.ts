import type { ListenerEvent } from '../../events/listener-events.js';
import { type Listener, requireRegistered } from './listener.js';

/**
 * An operator has a registration kept but nothing delivered to it; changes nothing where it is paused. Throws
 * `ListenerNotFound` unless this very registration holds.
 */
export function pauseListener({ listenerId }: { readonly listenerId: string }, listener: Listener): ListenerEvent[] {
  const { state, registration, since } = requireRegistered(listener, listenerId);
  if (state === 'paused') return [];
  return [{ type: 'ListenerPaused', data: { ...registration, reason: 'operator', since: since.toString() } }];
}
