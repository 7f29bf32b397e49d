import type { ListenerDetails } from '../../events/listener-events.js';
import type { Cause } from '../../stores/event-store/codec.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { handle } from '../../stores/event-store/handle.js';
import type { DocumentFinder } from '../../views/read-model.js';
import { unsubscribeListener } from '../commands/listener-commands.js';
import type { UnsubscribeBarrier } from '../commands/operate-listener.js';
import { isRegistered, listenerDecider, listenerStream } from '../listener.js';
import { currentListeners } from '../queries/registered-listeners.js';
import { isExpired } from './agent-subscription.js';

/** Ends the listener of an agent that did not renew it in time; one that was renewed meanwhile stays. */
export async function endExpired(
  store: EventStore,
  barrier: UnsubscribeBarrier,
  { orgId, hookUrl, listenerId }: Pick<ListenerDetails, 'orgId' | 'hookUrl' | 'listenerId'>,
  context: { cause: Cause; now: Date },
): Promise<void> {
  const { state } = await handle(
    store,
    listenerStream(orgId, hookUrl),
    listenerDecider,
    (listener) =>
      isRegistered(listener) && isExpired(listener.details, context.now)
        ? unsubscribeListener({ reason: 'expired', listenerId }, listener)
        : [],
    context,
  );
  if (!isRegistered(state) || state.details.listenerId !== listenerId) await barrier.close(listenerId);
}

/** Ends all of the view that have expired, so that none counts as a listener or needs a master key for long. */
export async function endAllExpired(
  { store, readModel, barrier }: { store: EventStore; readModel: DocumentFinder; barrier: UnsubscribeBarrier },
  context: { cause: Cause; now: Date },
  signal: AbortSignal,
): Promise<void> {
  for await (const page of currentListeners(readModel))
    for (const listener of page) {
      if (signal.aborted) return;
      if (listener.agent && isExpired(listener, context.now)) await endExpired(store, barrier, listener, context);
    }
}
