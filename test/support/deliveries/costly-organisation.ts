import { randomUUID } from 'node:crypto';
import pino from 'pino';
import type { ListenerPeriod } from '../../../projections/listeners.js';
import { type FanOut, startFanOut } from '../../../src/deliveries/fan-out/fan-out.js';
import { partitionCount, readersOf } from '../../../src/deliveries/fan-out/partitions.js';
import { publishFlowEvent } from '../../../src/flows/publish-flow-event.js';
import type { SubscriptionChange } from '../../../src/listeners/changed-subscription.js';
import { filterText } from '../../../src/listeners/filters/filter.js';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import { positionOf } from '../../../src/queue/reader-positions.js';
import type { EventStore, Json } from '../../../src/stores/event-store/event-store.js';
import { open, sortable } from '../../../src/views/projection.js';
import { details, detailsWith } from '../../listeners/fixtures.js';
import { until } from '../until.js';
import { heldIn } from './partition-lease.js';

/** An organisation whose filters use up its share of the fan-out's time with each event, and one without filters. */
export const costly = 'costly';
export const other = 'other';

/** A listener of each organisation without a filter. */
export const plainListener = {
  listenerId: '11111111-1111-4111-8111-111111111111',
  orgId: costly,
  hookUrl: 'https://a.example.com/',
};
export const otherListener = {
  listenerId: '22222222-2222-4222-8222-222222222222',
  orgId: other,
  hookUrl: 'https://b.example.com/',
};

const plainPeriod: ListenerPeriod = {
  ...details,
  state: 'active',
  pausedBy: null,
  status: 'active',
  from: sortable(0n),
  since: '',
  until: open,
};
const period = (overrides: Partial<ListenerPeriod> & SubscriptionChange): ListenerPeriod =>
  detailsWith(plainPeriod, overrides);

/** Listeners whose filters select no event: the first uses up the share of their organisation. */
const withFilters = [1, 2].map((number) => {
  const listenerId = `33333333-1111-4111-8111-00000000000${number}`;
  const filter = filterText({ 'data.none': number });
  return period({ listenerId, orgId: costly, hookUrl: `https://c.example.com/${number}`, filter });
});
/** Milliseconds between two readings of the clock, before and after a filter. */
const filterMs = 9;

export type PlainState = (position: bigint) => 'active' | 'paused' | undefined;

/** The listeners of both; the plain listener of the costly organisation is in this state at a position. */
const registeredAt = (stateAt: PlainState = () => 'active') =>
  async function* (orgId: string, position: bigint): AsyncGenerator<readonly ListenerPeriod[]> {
    if (orgId === other) yield [period(otherListener)];
    if (orgId !== costly) return;
    const state = stateAt(position);
    yield withFilters;
    if (state)
      yield [period({ ...plainListener, ordered: true, state, pausedBy: state === 'paused' ? 'operator' : null })];
  };

/** Publishes an event, of one flow for each organisation. Returns its position. */
export async function publishTo(store: EventStore, orgId: string, data: Json): Promise<bigint> {
  const request = { id: randomUUID(), flowId: 'flow', type: 'flow.completed', data };
  const context = { orgId, cause: { actor: 'test', correlationId: 'test' }, now: new Date(), maxBytes: 1_000_000 };
  await publishFlowEvent(store, request, context);
  return store.head();
}

export function startFanOutOf(store: EventStore, queue: DeliveryQueue, stateAt?: PlainState, count = 1): FanOut {
  let readings = 0;
  const fanOut = startFanOut({
    store,
    queue,
    view: { registeredAt: registeredAt(stateAt), position: async () => undefined, passed: async () => undefined },
    startFrom: -1n,
    count,
    log: pino({ enabled: false }),
    clock: () => 1_000,
    monotonicNow() {
      readings += 1;
      return readings * filterMs;
    },
  });
  for (let partition = 0; partition < count; partition += 1) fanOut.hold(partition, heldIn(1n));
  return fanOut;
}

/** Resolves once the fan-out has handed over everything. */
export async function untilHandedOver(store: EventStore, queue: DeliveryQueue): Promise<void> {
  const head = await store.head();
  const isDone = async () => {
    const readers = readersOf(await partitionCount(queue));
    const positions = await Promise.all(readers.map((reader) => positionOf(queue, reader)));
    if (positions.every((position) => position === undefined || position < head)) return false;
    const waiting = (await queue.waiting([...readers])).map(({ orgId }) => orgId);
    return waiting.length === 0;
  };
  await until(isDone, 'the events to be handed over');
}
