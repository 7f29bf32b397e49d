import type { NewDelivery } from '../delivery.js';
import { checkpointsOf, type FanOutBatch } from '../fan-out-batch.js';
import { type Facts, messageName } from '../stored-queue.js';
import type { Kept, PendingDeliveries, PendingEvent } from './pending-deliveries.js';

/** Facts of a batch of which nothing is kept in memory. */
export const noFacts: Facts = { listeners: new Map(), known: new Set(), firstDue: Number.NEGATIVE_INFINITY };

export const mayBeReady = ({ listeners }: FanOutBatch): boolean => listeners.length > 0;

/** The deliveries of ordered listeners are written, behind the earlier ones that are being written. */
export function withoutOrdered(facts: Facts): Facts {
  const listeners = [...facts.listeners].map(
    ([id, listener]) => [id, { ...listener, isReady: listener.isReady && !listener.subscription.ordered }] as const,
  );
  return { ...facts, listeners: new Map(listeners) };
}

/** The batch only adds deliveries, which its readers enqueue again after a crash. */
export function isRepeatable(batch: FanOutBatch): boolean {
  const { listeners, deliveries, messages } = batch;
  if (changesOf(batch).some(({ length }) => length > 0)) return false;
  if (listeners.some(({ paused }) => paused) || deliveries.some(({ replay }) => replay !== undefined)) return false;
  const names = new Map(messages.map((message) => [messageName(message), message]));
  if (names.size < messages.length || !deliveries.every(ofEvent(names))) return false;
  const checkpoints = checkpointsOf(batch);
  return (
    checkpoints.length > 0 &&
    checkpoints.every(({ follows, handedOver, waiting = [] }) => follows && !handedOver && waiting.length === 0)
  );
}

/** The batch only moves checkpoints that follow no other: no delivery in memory is before them. */
export const movesOnlyIndependentCheckpoints = (batch: FanOutBatch): boolean =>
  [...changesOf(batch), batch.messages, batch.listeners, batch.deliveries].every(({ length }) => length === 0) &&
  checkpointsOf(batch).every(({ follows, handedOver, waiting }) => !follows && !handedOver && !waiting);

const changesOf = ({ ended, released = [], cancelledReplays = [], setAside, setAsideChanges = [] }: FanOutBatch) => [
  ended,
  released,
  cancelledReplays,
  setAside,
  setAsideChanges,
];

export const leasesOf = (batch: FanOutBatch) => checkpointsOf(batch).flatMap(({ lease }) => lease ?? []);

/** Finds the value of a delivery's event. Remembers the last one, as the deliveries of one event follow each other. */
function ofEvent<Value>(byName: ReadonlyMap<string, Value>): (delivery: NewDelivery) => Value | undefined {
  let last: NewDelivery | undefined;
  let value: Value | undefined;
  return (delivery) => {
    if (last?.eventId !== delivery.eventId || last.orgId !== delivery.orgId) value = byName.get(messageName(delivery));
    last = delivery;
    return value;
  };
}

/** Deliveries of new flow events to listeners that can be called at once are kept; the rest has the messages that have to be written. */
export function splitBatch(batch: FanOutBatch, { listeners, known }: Facts, pending: PendingDeliveries) {
  const events = batch.messages.map((message) => pending.eventOf(message));
  const eventOf = ofEvent(new Map(events.map((event) => [event.name, event])));
  const fresh = new Set(events.filter(({ name, message }) => message.body !== null && !known.has(name)));
  const leases = leasesOf(batch);
  const kept: Kept[] = [];
  const deliveries: NewDelivery[] = [];
  const inMemory = new Set(events.filter((event) => event.deliveries > 0));
  const inRest = new Set<PendingEvent>();
  const ordered = pending.orderedListeners();
  const mayKeep = ({ listenerId, held }: NewDelivery, event: PendingEvent) => {
    const { lastPosition = -1n } = ordered.get(listenerId) ?? {};
    const isReady = listeners.get(listenerId)?.isReady === true;
    return isReady && fresh.has(event) && !held && event.message.position > lastPosition;
  };
  const all = batch.deliveries.flatMap(
    (delivery) => (pending.isUnder(leases, delivery) ? [] : [{ delivery, event: eventOf(delivery) as PendingEvent }]), // see `isRepeatable`
  );
  const restrained = new Set(
    all.flatMap(({ delivery, event }) => {
      const listener = listeners.get(delivery.listenerId);
      const isOrdered = listener?.isReady === true && listener.subscription.ordered;
      return isOrdered && !mayKeep(delivery, event) ? delivery.listenerId : [];
    }),
  );
  for (const { delivery, event } of all) {
    const { listenerId } = delivery;
    const listener = listeners.get(listenerId);
    if (listener && mayKeep(delivery, event) && !restrained.has(listenerId)) {
      kept.push({ delivery, event, listener });
      inMemory.add(event);
    } else {
      restrained.add(listenerId); // the later ones come behind it
      deliveries.push(delivery);
      inRest.add(event);
    }
  }
  const written = events.filter((event) => inRest.has(event) || !inMemory.has(event));
  return { kept, rest: { ...batch, messages: written.map(({ message }) => message), deliveries } };
}
