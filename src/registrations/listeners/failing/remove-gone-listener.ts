import type { Cause } from '../../../stores/event-store/codec.js';
import type { EventStore } from '../../../stores/event-store/event-store.js';
import { handle } from '../../../stores/event-store/handle.js';
import { listenerLifecycle, listenerStream, type Registration } from '../listener.js';
import type { UnsubscribeBarrier } from '../unsubscribe-barrier.js';
import { unsubscribeListener } from '../unsubscribe-listener.js';

/**
 * Ends the registration of a hook that says it is gone (410). Only this very registration: a successor on the same hook is
 * left alone.
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
