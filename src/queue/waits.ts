import type { DeliveryRecord } from './delivery-log.js';
import type { DeliveryQueue } from './delivery-queue.js';
import type { ListenerState } from './listener-log.js';
import { closedBy, healthy } from './policy/listener-health.js';

/**
 * `order`: an earlier delivery of an ordered listener. `a worker`: no reason of the listener: it waits for a slot, is
 * under way, or the instance's network fails.
 */
export type AttemptWaitsFor = 'schedule' | 'retry-after' | 'breaker' | 'rate' | 'order' | 'a worker';

/** A held delivery waits until its listener is resumed or, if it is not paused any more, the delivery is redelivered. */
export type WaitsFor = AttemptWaitsFor | 'resume' | 'redelivery';

/** The earliest end, milliseconds since 1970; undefined if no time decides it. */
export type Wait<For extends WaitsFor = WaitsFor> = { waitsFor: For; until: number | undefined };

type Waiting = Pick<DeliveryRecord, 'id' | 'dueAt'>;

/** Undefined if the delivery has ended. */
export function waitOf(
  delivery: Waiting & Pick<DeliveryRecord, 'state'>,
  listener: ListenerState | undefined,
  now: number,
): Wait | undefined {
  if (delivery.state === 'waiting') return attemptWaitOf(delivery, listener, now);
  if (delivery.state !== 'held') return undefined;
  return { waitsFor: listener?.paused ? 'resume' : 'redelivery', until: undefined };
}

export function attemptWaitOf(
  { id, dueAt = 0 }: Waiting,
  listener: ListenerState | undefined,
  now: number,
): Wait<AttemptWaitsFor> {
  const { health = healthy, head, keptBackUntil = 0 } = listener ?? {};
  if (head !== undefined && head !== id) return { waitsFor: 'order', until: undefined };
  const closed = closedBy(health, now);
  const waits: readonly { waitsFor: AttemptWaitsFor; until: number }[] = [
    { waitsFor: 'schedule', until: dueAt },
    ...(closed ? [{ waitsFor: closed.by, until: closed.until }] : []),
    // A breaker whose time is over lets one attempt through and keeps the others back until that has ended.
    { waitsFor: health.breaker ? 'breaker' : 'rate', until: keptBackUntil },
  ];
  const longest = waits.reduce((one, other) => (other.until > one.until ? other : one));
  return longest.until > now ? longest : { waitsFor: 'a worker', until: undefined };
}

export async function findWaits(
  queue: Pick<DeliveryQueue, 'listenerStates'>,
  deliveries: readonly DeliveryRecord[],
  now: number,
): Promise<(delivery: DeliveryRecord) => Wait | undefined> {
  const pending = deliveries.filter(({ state }) => state === 'waiting' || state === 'held');
  const listenerIds = [...new Set(pending.map(({ listenerId }) => listenerId))];
  const listeners =
    listenerIds.length === 0 ? new Map<string, ListenerState>() : await queue.listenerStates(listenerIds);
  return (delivery) => waitOf(delivery, listeners.get(delivery.listenerId), now);
}
