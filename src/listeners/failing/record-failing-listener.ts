import type { Cause } from '../../stores/event-store/codec.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { handle } from '../../stores/event-store/handle.js';
import { isRegistered, type ListenerDetails, listenerDecider, listenerStream } from '../listener.js';
import type { NotifyChange } from '../notify-change.js';
import type { FailingPeriod, FailingPolicy, FailingStep } from './failing-policy.js';
import { noticeFailingListener } from './notice-failing-listener.js';

export type FailingListener = Pick<ListenerDetails, 'orgId' | 'hookUrl' | 'listenerId'> & {
  readonly failing: FailingPeriod;
  readonly policy: FailingPolicy;
};

/**
 * Records that a listener keeps failing, once for each step, and pauses it at the last step; not a later one at its URL. Resolves with
 * the recorded step, 0 if there was none.
 */
export async function recordFailingListener(
  { store, notifyChange }: { readonly store: EventStore; readonly notifyChange: NotifyChange },
  { orgId, hookUrl, listenerId, failing, policy }: FailingListener,
  context: { readonly cause: Cause; readonly now: Date },
): Promise<FailingStep> {
  const { state, events, position } = await handle(
    store,
    listenerStream(orgId, hookUrl),
    listenerDecider,
    (listener) => noticeFailingListener({ listenerId, failing, policy, now: context.now }, listener),
    context,
  );
  if (position === undefined || !isRegistered(state)) return 0;
  if (state.state === 'paused') await notifyChange({ details: state.details, paused: true, position });
  const [noticed] = events;
  return noticed?.type === 'ListenerFailing' ? (noticed.data.failing.percent as FailingStep) : 0; // decided as a step
}
