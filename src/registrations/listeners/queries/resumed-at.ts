import type { ListenerEvent } from '../../../events/listener-events.js';
import type { EventStore } from '../../../stores/event-store/event-store.js';
import type { Handled } from '../../../stores/event-store/handle.js';
import { readFirstIfExists } from '../../../stores/event-store/read-if-exists.js';
import { isStanding, type Listener, listenerStream } from '../listener.js';

/**
 * The position of the event by which a hook that has been resumed became what it is, be that now or before: what is held of
 * it for a pause happened before that. Undefined where it has been active since it was registered.
 */
export async function resumedAt(
  store: Pick<EventStore, 'readStream'>,
  { state, position }: Handled<Listener, ListenerEvent>,
): Promise<bigint | undefined> {
  if (position !== undefined || !isStanding(state)) return position;
  const { registration, since } = state;
  const stream = listenerStream(registration.orgId, registration.hookUrl);
  // Absent where its organisation has just been erased.
  const began = await readFirstIfExists(store.readStream(stream, { from: since, limit: 1 }));
  return began?.type === 'ListenerSubscribed' ? undefined : began?.position;
}
