import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import pino from 'pino';
import { listenerHistory } from '../../projections/listener-history.js';
import { listenersView } from '../../projections/listeners.js';
import { runReplay } from '../../src/admin/replays/run-replay.js';
import { explainFlowEvent } from '../../src/deliveries/explain/explain-flow-event.js';
import { startFanOut } from '../../src/deliveries/fan-out/fan-out.js';
import { publishedEventId, publishFlowEvent } from '../../src/flows/publish-flow-event.js';
import { subscribeListener } from '../../src/listeners/commands/subscribe-listener.js';
import { filterText } from '../../src/listeners/filters/filter.js';
import { listenerDecider, listenerStream } from '../../src/listeners/listener.js';
import { currentListener, registeredAt } from '../../src/listeners/queries/registered-listeners.js';
import type { DeliveryQueue } from '../../src/queue/delivery-queue.js';
import type { EventStore, JsonObject, RecordedEvent } from '../../src/stores/event-store/event-store.js';
import { handle } from '../../src/stores/event-store/handle.js';
import { openSqliteEventStore } from '../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { buildName, type Projection } from '../../src/views/projection.js';
import type { ReadModel } from '../../src/views/read-model.js';
import { heldIn } from '../support/deliveries/partition-lease.js';
import { anyData, anyFilter } from '../support/filters/any-filter.js';
import { matchesByReference } from '../support/filters/reference-filter.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { until } from '../support/until.js';
import { applyEvents } from '../support/views/project-events.js';

type Stores = { readModel: ReadModel; queue: DeliveryQueue };
export type OpenStores = (place: string) => Promise<Stores>;

/** Step of one listener: it subscribes with a filter, or data is published. */
type Step = { filter: JsonObject | null } | { data: JsonObject };

const type = 'flow.completed';
const cause = { actor: 'test', correlationId: 'test' };

/** The outcomes of the published events, in order, by each way that applies a filter. */
async function outcomes(open: OpenStores, steps: readonly Step[]) {
  const directory = temporaryDirectory();
  const store = openSqliteEventStore({ directory });
  const { readModel, queue } = await open(randomUUID());
  try {
    const orgId = `acme-${randomUUID()}`;
    const listenerId = randomUUID();
    const published: string[] = [];
    for (const step of steps) {
      if ('filter' in step) await subscribe(store, { orgId, listenerId, filter: step.filter });
      else published.push(await publish(store, orgId, step.data));
    }
    for (const view of [listenersView, listenerHistory]) await build(store, readModel, view);
    await fanOut(store, readModel, queue);
    return {
      fanOut: await delivered(queue, { orgId, listenerId, published }),
      explain: await explained(store, readModel, queue, { orgId, listenerId, published }),
      replay: await replayed(store, readModel, queue, { orgId, listenerId, published }),
    };
  } finally {
    await queue.close();
    await readModel.close();
    await store.close();
  }
}

type Listener = { orgId: string; listenerId: string };
type Published = Listener & { published: readonly string[] };

async function subscribe(store: EventStore, { filter, ...listener }: Listener & { filter: JsonObject | null }) {
  const hookUrl = 'https://hooks.example.com/1';
  const command = {
    ...{
      ...listener,
      userId: 'u',
      hookUrl,
      subscription: { subscriptionType: 'flow.*', filter: filterText(filter), transform: null },
      keyGeneration: 'g1',
    },
    defaults: { ordered: false, ratePerSecond: null },
    task: { state: 'active', orgId: null, name: 'default' } as const,
    now: new Date(),
  };
  const stream = listenerStream(listener.orgId, hookUrl);
  await handle(store, stream, listenerDecider, (listener) => subscribeListener(command, listener), {
    cause,
    now: command.now,
  });
}

async function publish(store: EventStore, orgId: string, data: JsonObject): Promise<string> {
  const { id } = await publishFlowEvent(store, { type, data }, { orgId, cause, now: new Date(), maxBytes: 100_000 });
  return id;
}

async function build(store: EventStore, readModel: ReadModel, projection: Projection): Promise<void> {
  const built = await readModel.open(projection, buildName(projection, 'run-1'));
  await readModel.flip(projection, built.name);
  const events: RecordedEvent[] = [];
  for await (const event of store.readAll({ filter: { categories: ['listener'] } })) events.push(event);
  await applyEvents(built, projection, events);
}

async function fanOut(store: EventStore, readModel: ReadModel, queue: DeliveryQueue): Promise<void> {
  const started = startFanOut({
    store,
    queue,
    view: {
      registeredAt: (orgId, position) => registeredAt(readModel, orgId, position),
      position: async () => undefined,
      passed: async () => undefined,
    },
    startFrom: -1n,
    count: 1,
    log: pino({ enabled: false }),
    clock: Date.now,
  });
  started.hold(0, heldIn(1n));
  const head = await store.head();
  const isDone = () => {
    const { position, organisationsWaiting } = started.status();
    return (position ?? -1n) >= head && organisationsWaiting === 0; // events wait where their filters take long
  };
  await until(isDone, 'the end of the fan-out');
  await started.stop();
}

async function delivered(
  queue: DeliveryQueue,
  { orgId, listenerId, published }: Published,
  replay?: string,
): Promise<readonly boolean[]> {
  const found = (await queue.deliveries({ orgId, listenerId })).deliveries;
  const ids = new Set(found.filter((delivery) => delivery.replay === replay).map(({ eventId }) => eventId));
  return published.map((id) => ids.has(publishedEventId(orgId, id)));
}

async function explained(
  store: EventStore,
  readModel: ReadModel,
  queue: DeliveryQueue,
  { orgId, listenerId, published }: Published,
): Promise<readonly boolean[]> {
  // Of events without a delivery alone: this queue tells nothing that the filter does not.
  const withoutDeliveries = { ...queue, deliveries: async () => ({ deliveries: [], next: undefined }) };
  const sources = {
    store,
    readModel,
    queue: withoutDeliveries,
    historyCaughtUp: async () => undefined,
    clock: Date.now,
  };
  const selected: boolean[] = [];
  for (const eventId of published) {
    const { listeners } = await explainFlowEvent(sources, { orgId, eventId, listenerId, limit: 1 });
    expect(listeners[0]?.outcome).to.be.oneOf(['filter-mismatch', 'purged', 'not-subscribed']);
    selected.push(listeners[0]?.outcome === 'purged');
  }
  return selected;
}

async function replayed(
  store: EventStore,
  readModel: ReadModel,
  queue: DeliveryQueue,
  listener: Published,
): Promise<readonly boolean[]> {
  const { orgId, listenerId } = listener;
  const replayId = randomUUID();
  const startedAt = new Date().toISOString();
  const nothingYet = { lookedAt: 0, enqueued: 0, share: 0, reached: null };
  await runReplay(
    {
      store,
      queue,
      details: (id) => currentListener(readModel, id),
      onProgress: async () => undefined,
      clock: Date.now,
    },
    {
      replayId,
      orgId,
      listenerId,
      from: null,
      to: null,
      type: null,
      event: null,
      ratePerSecond: 10_000,
      startedAt,
      ...nothingYet,
    },
    { startedAfter: (await store.head()) + 1n, signal: new AbortController().signal },
  );
  return delivered(queue, listener, replayId);
}

/** Selection of the reference evaluation: steps, with the filter that applied. */
function expected(steps: readonly Step[]): readonly boolean[] {
  let filter: JsonObject | null = null;
  return steps.flatMap((step) => {
    if ('filter' in step) {
      filter = step.filter;
      return [];
    }
    return [filter === null || matchesByReference(filter, { data: step.data })];
  });
}

/** `open` gives empty stores for each place. */
export function filtersContract(name: string, open: OpenStores, { numRuns }: { numRuns: number }): void {
  describe(`filters on ${name}`, () => {
    it('apply as they were at the time of each event, in the fan-out, in explanations and in replays', async () => {
      const steps: readonly Step[] = [
        { filter: { 'data.total': { $gt: 40 }, 'data.currency': { $in: ['EUR', 'CHF'] } } },
        { data: { total: 41, currency: 'EUR' } },
        { data: { total: 40, currency: 'EUR' } },
        { filter: { 'data.total': { $lte: 40 } } },
        { data: { total: 41, currency: 'EUR' } },
        { data: { total: 40, currency: 'USD' } },
        { filter: null },
        { data: {} },
      ];
      const selected = [true, false, false, true, true];
      expect(await outcomes(open, steps)).to.deep.equal({ fanOut: selected, explain: selected, replay: selected });
    });

    it('give the same result in all three, whatever the filters and the events', async function () {
      this.timeout(120_000);
      const step: fc.Arbitrary<Step> = fc.oneof(
        fc.option(anyFilter).map((filter) => ({ filter })),
        { arbitrary: anyData.map((data) => ({ data })), weight: 4 },
      );
      await fc.assert(
        fc.asyncProperty(anyFilter, fc.array(step, { minLength: 3, maxLength: 12 }), async (filter, rest) => {
          const steps = [{ filter }, ...rest];
          const selected = expected(steps);
          expect(await outcomes(open, steps)).to.deep.equal({ fanOut: selected, explain: selected, replay: selected });
        }),
        { numRuns },
      );
    });
  });
}
