import type { ListenerEvent } from '../../events/listener-events.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import type { Handled } from '../../stores/event-store/handle.js';
import { readFirstIfExists } from '../../stores/event-store/read-if-exists.js';
import { isRegistered, type Listener, listenerStream } from '../listener.js';

/**
 * The position of the event that began the current period of a resumed listener; its held deliveries are of earlier flow events.
 * Undefined if the listener has been active since it was registered.
 */
export async function resumedAt(
  store: Pick<EventStore, 'readStream'>,
  { state, position }: Handled<Listener, ListenerEvent>,
): Promise<bigint | undefined> {
  if (position !== undefined || !isRegistered(state)) return position;
  const { details, since } = state;
  const stream = listenerStream(details.orgId, details.hookUrl);
  // Absent if its organisation was erased in the meantime.
  const began = await readFirstIfExists(store.readStream(stream, { from: since, limit: 1 }));
  return began?.type === 'ListenerSubscribed' ? undefined : began?.position;
}
