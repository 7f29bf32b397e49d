import type { ListenerPeriod } from '../../projections/listeners.js';
import { FanOutBatchBuilder } from '../../src/deliveries/fan-out/fan-out-batch-builder.js';
import { listenerCodec } from '../../src/events/listener-events.js';
import { readFlowEvent } from '../../src/flows/flow-event.js';
import { publishFlowEvent } from '../../src/flows/publish-flow-event.js';
import type { DeliveryQueue } from '../../src/queue/delivery-queue.js';
import { openSqliteDeliveryQueue } from '../../src/queue/sqlite/sqlite-delivery-queue.js';
import type { EventStore, RecordedEvent } from '../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { open, sortable } from '../../src/views/projection.js';
import { exhausted, leaseRequest, succeeded } from '../../test/support/deliveries/delivery-batches.js';
import { appendListeners, orgId } from './listeners.js';

/** A hundredth of the deliveries are dead letters. */
const deadLetterEvery = 100;
const leased = 10_000;

export type ConsoleHistory = { listenerIds: readonly string[]; deliveries: number };

/** Listeners, and flow events that each was delivered, as a service would have left them in a data directory. */
export async function makeConsoleHistory(
  directory: string,
  { listeners, events }: { listeners: number; events: number },
): Promise<ConsoleHistory> {
  let number = 0;
  await appendListeners(directory, listeners, () => `http://host-${number % 50}.localhost:9/catch/${number++}`);
  const store = openSqliteEventStore({ directory });
  const queue = openSqliteDeliveryQueue({ directory });
  const periods = await periodsOf(store);
  for (let event = 0; event < events; event += 1) await deliver({ store, queue, periods, event });
  await queue.close();
  await store.close();
  return { listenerIds: periods.map(({ listenerId }) => listenerId), deliveries: listeners * events };
}

async function periodsOf(store: EventStore): Promise<readonly ListenerPeriod[]> {
  const periods: ListenerPeriod[] = [];
  for await (const recorded of store.readAll({ filter: { categories: ['listener'] } })) {
    const { data, position, recordedAt } = listenerCodec.decode(recorded);
    const state = { state: 'active', pausedBy: null, status: 'active' } as const;
    periods.push({ ...data, ...state, from: sortable(position), since: recordedAt, until: open });
  }
  return periods;
}

async function deliver({ store, queue, periods, event: number }: Delivering): Promise<void> {
  const id = `order-${4_000 + number}`;
  const event = { type: 'flow.completed', id, data: { number: id, total: 42 } };
  const cause = { actor: 'bench', correlationId: 'bench' };
  await publishFlowEvent(store, event, { orgId, cause, now: new Date(), maxBytes: 262_144 });
  const recorded = await lastFlowEvent(store);
  const batch = new FanOutBatchBuilder();
  const message = batch.message(readFlowEvent(recorded), recorded.position);
  for (const period of periods) batch.deliver(message, period);
  await queue.enqueue({ ...batch.take(), checkpoint: { reader: 'fan-out', position: recorded.position } }, Date.now());
  for (;;) {
    const all = { limit: leased, perListener: leased, now: Date.now() };
    const { deliveries } = await queue.lease(leaseRequest(all));
    if (deliveries.length === 0) return;
    const outcomes = deliveries.map((each, index) =>
      (index + 7 * number) % deadLetterEvery === 0 ? exhausted(each) : succeeded(each),
    );
    await queue.record(outcomes, Date.now());
  }
}

type Delivering = {
  store: EventStore;
  queue: DeliveryQueue;
  periods: readonly ListenerPeriod[];
  event: number;
};

async function lastFlowEvent(store: EventStore): Promise<RecordedEvent> {
  const last = { filter: { categories: ['flow'] }, direction: 'backwards', limit: 1 } as const;
  for await (const recorded of store.readAll(last)) return recorded;
  throw new Error('there is no flow event');
}
