import type { ListenerEvent } from '../../events/listener-events.js';
import type { Cause } from '../../stores/event-store/codec.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { type Handled, handle } from '../../stores/event-store/handle.js';
import {
  detailsOf,
  isRegistered,
  type Listener,
  type ListenerDetails,
  ListenerNotFound,
  listenerDecider,
  listenerStream,
} from '../listener.js';
import type { FindListener } from '../queries/find-listener.js';
import { endListener, type UnsubscribeBarrier } from './end-listener.js';
import {
  type ChangeListenerOptions,
  changeListenerOptions,
  pauseListener,
  type ResumeListener,
  type RotateListenerSecret,
  resumeListener,
  rotateListenerSecret,
} from './listener-commands.js';

/** An operator's change of a listener. */
export type OperateListener = { listenerId: string } & (
  | { change: 'pause' }
  | { change: 'unsubscribe' }
  | ({ change: 'resume' } & Pick<ResumeListener, 'redeliverHeld' | 'closeCircuit'>)
  | ({ change: 'options' } & Pick<ChangeListenerOptions, 'options'>)
  | ({ change: 'rotate-secret' } & Pick<RotateListenerSecret, 'keyGeneration' | 'overlapMs' | 'replaces'>)
);

/** Called for each listener that an operator removes, after the removal has taken effect. */
export type OnRemoved = (details: ListenerDetails) => void;

export type ListenerOperations = {
  store: EventStore;
  findListener: FindListener;
  notifyChange: NotifyChange;
  barrier: UnsubscribeBarrier;
  onRemoved?: OnRemoved;
};

/**
 * Changes this listener, never a later listener at the same hook URL. The change has taken effect when the promise
 * resolves. A repeat changes nothing, except for a rotation without `replaces`. Throws `ListenerNotFound` if the listener
 * never existed, if a later listener at its hook URL has replaced it or, except for `unsubscribe`, if it has ended; and
 * the errors of `handle`.
 */
export async function operateListener(
  { store, findListener, notifyChange, barrier, onRemoved }: ListenerOperations,
  command: OperateListener,
  context: { cause: Cause; now: Date },
): Promise<Handled<Listener, ListenerEvent>> {
  const { listenerId } = command;
  const { orgId, hookUrl } = await findListener(listenerId);
  if (command.change === 'unsubscribe') {
    const ended = await endListener({ store, barrier }, { reason: 'operator', orgId, hookUrl, listenerId }, context);
    const details = detailsOf(ended.state);
    if (details.listenerId !== listenerId) throw new ListenerNotFound(listenerId); // a later listener at the same hook URL has replaced it
    if (ended.position !== undefined) onRemoved?.(details);
    return ended;
  }
  const handled = await handle(
    store,
    listenerStream(orgId, hookUrl),
    listenerDecider,
    (listener) => decide(command, listener, context.now),
    context,
  );
  const { state, position } = handled;
  if (position !== undefined && isRegistered(state)) {
    const isResumed = handled.events.some(({ type }) => type === 'ListenerResumed');
    const change = { details: state.details, paused: state.state === 'paused', position };
    await notifyChange({ ...change, isHealthReset: isResumed });
  }
  return handled;
}

function decide(
  command: Exclude<OperateListener, { change: 'unsubscribe' }>,
  listener: Listener,
  now: Date,
): ListenerEvent[] {
  const { listenerId } = command;
  switch (command.change) {
    case 'pause':
      return pauseListener({ listenerId }, listener);
    case 'resume':
      return resumeListener({ ...command, now }, listener);
    case 'options':
      return changeListenerOptions(command, listener);
    case 'rotate-secret':
      return rotateListenerSecret({ ...command, now }, listener);
  }
}

/** A listener after a listener event. */
export type ListenerChange = {
  details: ListenerDetails;
  paused: boolean;
  /** Position of the event. */
  position: bigint;
  /** Earlier failures do not count any more, and the circuit breaker closes. */
  isHealthReset?: boolean;
};

/** Notifies the delivery queue of an event before the fan-out reads it, so that the change takes effect at once. Idempotent. */
export type NotifyChange = (change: ListenerChange) => Promise<void>;
