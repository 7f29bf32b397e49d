import type { ListenerEvent } from '../../events/listener-events.js';
import { type ListenerOperations, operateListener } from '../../listeners/commands/operate-listener.js';
import { detailsOf, isRegistered, type Listener, listenerStream } from '../../listeners/listener.js';
import type { Cause } from '../../stores/event-store/codec.js';
import type { StreamReader } from '../../stores/event-store/event-store.js';
import type { Handled } from '../../stores/event-store/handle.js';
import { readFirstIfExists } from '../../stores/event-store/read-if-exists.js';
import {
  defaultFanOutTimeoutMs,
  heldSoFar,
  type ReleasedHeld,
  type ReleaseHeld,
  releaseHeld,
} from '../queries/held-deliveries.js';

export type ResumedListener = { handled: Handled<Listener, ListenerEvent>; released: ReleasedHeld };

/**
 * Resumes a listener and, if requested, releases its held deliveries: the fan-out does so at the `ListenerResumed`
 * event, so an ordered listener gets them before later ones; those of a listener that was active already become due
 * here. Throws as `operateListener`.
 */
export async function resumeAndRelease(
  {
    operations,
    fanOutTimeoutMs = defaultFanOutTimeoutMs,
    ...release
  }: ReleaseHeld & { operations: ListenerOperations },
  { listenerId, redeliverHeld, closeCircuit }: { listenerId: string; redeliverHeld: boolean; closeCircuit?: boolean },
  context: { cause: Cause; now: Date },
): Promise<ResumedListener> {
  const { store, findListener } = operations;
  const { orgId } = await findListener(listenerId);
  const began = performance.now();
  const before = redeliverHeld ? await heldSoFar({ ...release, fanOutTimeoutMs }, store, { orgId, listenerId }) : 0;
  const leftMs = fanOutTimeoutMs - (performance.now() - began);
  const handled = await operateListener(
    operations,
    { change: 'resume', listenerId, redeliverHeld, closeCircuit },
    context,
  );
  const released = await releaseHeld({ ...release, fanOutTimeoutMs: leftMs }, detailsOf(handled.state), {
    resumedAt: await resumedAt(store, handled),
    redeliver: redeliverHeld,
  });
  const redelivered = Math.max(released.redelivered, before - released.held);
  return { handled, released: { ...released, redelivered } };
}

/**
 * The position of the event that began the current period of a resumed listener; its held deliveries are of earlier flow events.
 * Undefined if the listener has been active since it was registered.
 */
export async function resumedAt(
  store: StreamReader,
  { state, position }: Handled<Listener, ListenerEvent>,
): Promise<bigint | undefined> {
  if (position !== undefined || !isRegistered(state)) return position;
  const { details, since } = state;
  const stream = listenerStream(details.orgId, details.hookUrl);
  // Absent if its organisation was erased in the meantime.
  const began = await readFirstIfExists(store.readStream(stream, { from: since, limit: 1 }));
  return began?.type === 'ListenerSubscribed' ? undefined : began?.position;
}
