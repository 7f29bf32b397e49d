import type { Cause } from '../../stores/event-store/codec.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { handle } from '../../stores/event-store/handle.js';
import { type ListenerDetails, listenerDecider, listenerStream } from '../listener.js';
import type { UnsubscribeBarrier } from '../unsubscribe-barrier.js';
import { unsubscribeListener } from '../unsubscribe-listener.js';

/**
 * Ends the listener that answered 410 (Gone), but none that was registered at its hook URL later.
 */
export async function removeGoneListener(
  store: EventStore,
  barrier: UnsubscribeBarrier,
  { orgId, hookUrl, listenerId }: Pick<ListenerDetails, 'orgId' | 'hookUrl' | 'listenerId'>,
  context: { readonly cause: Cause; readonly now: Date },
): Promise<void> {
  await handle(
    store,
    listenerStream(orgId, hookUrl),
    listenerDecider,
    (listener) => unsubscribeListener({ reason: 'gone', listenerId }, listener),
    context,
  );
  await barrier.close(listenerId);
}
