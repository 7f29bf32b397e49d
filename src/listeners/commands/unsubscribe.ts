import type { Cause } from '../../stores/event-store/codec.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { handle } from '../../stores/event-store/handle.js';
import { normalisedHookUrl } from '../hook-url.js';
import { detailsOf, listenerDecider, listenerStream } from '../listener.js';
import { unsubscribeListener } from './listener-commands.js';
import type { UnsubscribeBarrier } from './operate-listener.js';

export type Unsubscribing = { store: EventStore; barrier: UnsubscribeBarrier };

type Unsubscribe = (request: { orgId: string; hookUrl: string }, context: { cause: Cause; now: Date }) => Promise<void>;

/** Removes the listener at the hook URL; resolves once no delivery to it starts any more. Throws as `unsubscribeListener`. */
export const unsubscribing =
  ({ store, barrier }: Unsubscribing): Unsubscribe =>
  async ({ orgId, hookUrl }, context) => {
    const { state } = await handle(
      store,
      listenerStream(orgId, normalisedHookUrl(hookUrl)),
      listenerDecider,
      (listener) => unsubscribeListener({ reason: 'requested' }, listener),
      context,
    );
    // On every repeat too: the platform's retry closes the gate that a crash left open.
    await barrier.close(detailsOf(state).listenerId);
  };
