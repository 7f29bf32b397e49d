import type { NewDelivery, QueuedListener } from '../../delivery.js';
import type { FanOutBatch } from '../../fan-out-batch.js';
import { initialState, isFinal } from '../../policy/delivery-state.js';
import type { CallTime } from '../../policy/queue-clock.js';
import type { DeliveryRow, ListenerRow } from '../collections.js';

/** The initial state of a delivery. Concurrent changes of its listener or replay are applied after the insert. */
export function statesIn(
  { listeners }: FanOutBatch,
  { known, cancelled }: { known: ReadonlyMap<string, ListenerRow>; cancelled: ReadonlySet<string> },
): (delivery: NewDelivery) => 'waiting' | 'held' | 'cancelled' {
  const given = new Map(listeners.map((listener) => [listener.listenerId, listener]));
  return (delivery) => {
    const { listenerId, replay } = delivery;
    const row = known.get(listenerId);
    const listener = given.get(listenerId);
    const latest = row && (!listener || row.position >= listener.position) ? row : listener;
    return initialState(delivery, {
      closed: row?.closed ?? false,
      paused: latest?.paused ?? false,
      replayCancelled: replay !== undefined && cancelled.has(replay),
    });
  };
}

export function requireListeners(batch: FanOutBatch, known: ReadonlyMap<string, ListenerRow>): void {
  const given = new Set(batch.listeners.map(({ listenerId }: QueuedListener) => listenerId));
  for (const { listenerId } of batch.deliveries) {
    if (given.has(listenerId) || known.get(listenerId)?.hookUrl !== undefined) continue;
    throw new RangeError(`a delivery without its listener: listener ${listenerId}`);
  }
}

type Circumstances = {
  position: bigint | undefined;
  state: 'waiting' | 'held' | 'cancelled';
  time: CallTime;
};

export function toRow(
  { id, held: _, ...delivery }: NewDelivery,
  { position, state, time }: Circumstances,
): DeliveryRow {
  if (position === undefined) throw new RangeError(`a delivery without its message: event ${delivery.eventId}`);
  const enqueuedAt = new Date(time.now);
  const row = { _id: id, ...delivery, position, state, attempts: 0, enqueuedAt };
  if (isFinal(state)) return { ...row, endedAt: enqueuedAt };
  return state === 'waiting' ? { ...row, dueAt: new Date(time.queueNow) } : row;
}
