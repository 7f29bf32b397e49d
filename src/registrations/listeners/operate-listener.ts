import type { ListenerEvent } from '../../events/listener-events.js';
import type { Cause } from '../../stores/event-store/codec.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { type Handled, handle } from '../../stores/event-store/handle.js';
import {
  isRegistered,
  type Listener,
  ListenerNotFound,
  listenerLifecycle,
  listenerStream,
  type Registration,
  registrationOf,
} from './listener.js';
import type { NotifyChange } from './notify-change.js';
import { pauseListener } from './pause-listener.js';
import type { FindHook } from './queries/find-hook.js';
import { type ResumeListener, resumeListener } from './resume-listener.js';
import { type RotateListenerSecret, rotateListenerSecret } from './rotate-listener-secret.js';
import type { UnsubscribeBarrier } from './unsubscribe-barrier.js';
import { unsubscribeListener } from './unsubscribe-listener.js';

/** What an operator decides about the registration of a listener ID. */
export type OperateListener = { readonly listenerId: string } & (
  | { readonly change: 'pause' | 'unsubscribe' }
  | ({ readonly change: 'resume' } & Pick<ResumeListener, 'redeliverHeld'>)
  | ({ readonly change: 'rotate-secret' } & Pick<RotateListenerSecret, 'keyGeneration' | 'overlapMs' | 'replaces'>)
);

/** Told of each hook that an operator removes, once that has taken effect. */
export type OnRemoved = (registration: Registration) => void;

export type ListenerOperations = {
  readonly store: EventStore;
  readonly findHook: FindHook;
  readonly notifyChange: NotifyChange;
  readonly barrier: UnsubscribeBarrier;
  readonly onRemoved?: OnRemoved | undefined;
};

/**
 * Decides about this very registration, never about one that has followed it. Whatever it decides has taken effect when it
 * resolves. A repeat changes nothing, but a rotation that does not say which secret it replaces. Throws
 * `ListenerNotFound` where it never was, where another one has followed it and, unless it is to be removed, where it has
 * ended; and what `handle` throws.
 */
export async function operateListener(
  { store, findHook, notifyChange, barrier, onRemoved }: ListenerOperations,
  command: OperateListener,
  context: { readonly cause: Cause; readonly now: Date },
): Promise<Handled<Listener, ListenerEvent>> {
  const { listenerId } = command;
  const { orgId, hookUrl } = await findHook(listenerId);
  const handled = await handle(
    store,
    listenerStream(orgId, hookUrl),
    listenerLifecycle,
    (listener) => decide(command, listener, context.now),
    context,
  );
  const { state, position } = handled;
  // On every repeat too: what a crash left open is closed by it.
  if (command.change === 'unsubscribe') {
    await barrier.close(listenerId);
    const registration = registrationOf(state);
    if (registration.listenerId !== listenerId) throw new ListenerNotFound(listenerId); // another one has followed it
    if (position !== undefined) onRemoved?.(registration);
  } else if (position !== undefined && isRegistered(state)) {
    await notifyChange({ registration: state.registration, paused: state.state === 'paused', position });
  }
  return handled;
}

function decide(command: OperateListener, listener: Listener, now: Date): ListenerEvent[] {
  const { listenerId } = command;
  switch (command.change) {
    case 'pause':
      return pauseListener({ listenerId }, listener);
    case 'resume':
      return resumeListener({ ...command, now }, listener);
    case 'rotate-secret':
      return rotateListenerSecret({ ...command, now }, listener);
    case 'unsubscribe':
      return unsubscribeListener({ reason: 'operator', listenerId }, listener);
  }
}
