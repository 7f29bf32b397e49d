import type { ListenerEvent } from '../../events/listener-events.js';
import type { Cause } from '../../stores/event-store/codec.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { type Handled, handle } from '../../stores/event-store/handle.js';
import {
  detailsOf,
  type EndReason,
  isRegistered,
  type Listener,
  type ListenerDetails,
  listenerDecider,
  listenerStream,
} from '../listener.js';
import { unsubscribeListener } from './listener-commands.js';

/** Stops deliveries to a listener that has been removed. */
export type UnsubscribeBarrier = {
  /**
   * Once it resolves, no delivery to this listener starts, and its waiting deliveries are cancelled. Idempotent: the
   * platform's retry completes a close that a crash interrupted.
   */
  close: (listenerId: string) => Promise<unknown>;
};

export type EndingDependencies = { store: EventStore; barrier: UnsubscribeBarrier };

export type EndListener = {
  reason: EndReason;
  orgId: string;
  /** Normalised. */
  hookUrl: string;
  /** Ends only this listener, never a later listener at the same hook URL. Undefined: the current one. */
  listenerId?: string;
  /** Condition under which it ends; by default it always does. */
  isDue?: (listener: ListenerDetails) => boolean;
};

/**
 * Ends a listener: once the promise resolves, no delivery to it starts. A repeat closes the gate that a crash left open. Throws
 * `ListenerNotFound` if no listener is named and none was ever registered at the hook URL, and the errors of `handle`.
 */
export async function endListener(
  { store, barrier }: EndingDependencies,
  { reason, orgId, hookUrl, listenerId, isDue = () => true }: EndListener,
  context: { cause: Cause; now: Date },
): Promise<Handled<Listener, ListenerEvent>> {
  const handled = await handle(
    store,
    listenerStream(orgId, hookUrl),
    listenerDecider,
    (listener) => {
      if (listenerId !== undefined && listener.state === 'none') return []; // its organisation was erased
      if (isRegistered(listener) && !isDue(listener.details)) return [];
      return unsubscribeListener({ reason, listenerId }, listener);
    },
    context,
  );
  const { state } = handled;
  const endedId = listenerId ?? detailsOf(state).listenerId;
  if (!isRegistered(state) || state.details.listenerId !== endedId) await barrier.close(endedId);
  return handled;
}
