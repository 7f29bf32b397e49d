import type { Cause } from '../../../stores/event-store/codec.js';
import type { EventStore } from '../../../stores/event-store/event-store.js';
import { handle } from '../../../stores/event-store/handle.js';
import { listenerLifecycle, listenerStream, type Registration } from '../listener.js';
import type { UnsubscribeBarrier } from '../unsubscribe-barrier.js';
import { unsubscribeListener } from '../unsubscribe-listener.js';

/**
 * Ends the registration of a hook that answered 410 (Gone). A later registration of the same hook is not changed.
 */
export async function removeGoneListener(
  store: EventStore,
  barrier: UnsubscribeBarrier,
  { orgId, hookUrl, listenerId }: Pick<Registration, 'orgId' | 'hookUrl' | 'listenerId'>,
  context: { readonly cause: Cause; readonly now: Date },
): Promise<void> {
  await handle(
    store,
    listenerStream(orgId, hookUrl),
    listenerLifecycle,
    (listener) => unsubscribeListener({ reason: 'gone', listenerId }, listener),
    context,
  );
  await barrier.close(listenerId);
}
