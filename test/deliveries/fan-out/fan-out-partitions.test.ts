import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import pino from 'pino';
import { type FanOut, startFanOut } from '../../../src/deliveries/fan-out/fan-out.js';
import type { ListenersView } from '../../../src/deliveries/fan-out/listeners.js';
import { fanOutPosition, handedOverUpTo } from '../../../src/deliveries/fan-out/partitions.js';
import { listenerCodec } from '../../../src/events/listener-events.js';
import { operateEventType } from '../../../src/flows/types/operate-event-types.js';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import { checkpointsOf, type FanOutBatch } from '../../../src/queue/fan-out-batch.js';
import { partitionOf } from '../../../src/queue/policy/partition.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { details } from '../../listeners/fixtures.js';
import { publishTo } from '../../support/deliveries/costly-organisation.js';
import { heldIn } from '../../support/deliveries/partition-lease.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { until } from '../../support/until.js';

const cause = { actor: 'user:ada', correlationId: 'request-1' };
const count = 8;
const all = Array.from({ length: count }, (_, partition) => partition);
const organisations = Array.from({ length: 40 }, (_, number) => `organisation-${number}`);

describe('the fan-out in partitions', () => {
  let store: EventStore;
  let queue: DeliveryQueue;
  let fanOuts: FanOut[];
  let subscriptions: bigint[];
  /** Streams of event types that were read. */
  let typesRead: string[];
  /** Batches by instance. */
  let batches: FanOutBatch[][];
  /** Called before a batch is enqueued. */
  let beforeEnqueue: (batch: FanOutBatch) => Promise<void>;

  beforeEach(() => {
    const directory = temporaryDirectory();
    const opened = openSqliteEventStore({ directory });
    store = {
      ...opened,
      subscribe(options) {
        subscriptions.push(options?.from as bigint);
        return opened.subscribe(options);
      },
      readStream(stream, range) {
        if (stream.startsWith('eventType-')) typesRead.push(stream);
        return opened.readStream(stream, range);
      },
    };
    queue = openSqliteDeliveryQueue({ directory });
    fanOuts = [];
    subscriptions = [];
    typesRead = [];
    batches = [];
    beforeEnqueue = async () => undefined;
    reads = [];
    readingAtMost = 0;
  });
  afterEach(async () => {
    await Promise.all(fanOuts.map((fanOut) => fanOut.stop()));
    await queue.close();
    await store.close();
  });

  let reads: string[];
  let readingAtMost: number;
  let reading = 0;

  async function* readListeners(orgId: string) {
    reads.push(orgId);
    reading += 1;
    readingAtMost = Math.max(readingAtMost, reading);
    await pause(5);
    reading -= 1;
    yield [];
  }

  function instance(view: Partial<ListenersView> = {}, settings: { keepMs?: number } = {}): FanOut {
    const own: FanOutBatch[] = [];
    batches.push(own);
    const fanOut = startFanOut({
      store,
      queue: {
        ...queue,
        async enqueue(batch, now) {
          await beforeEnqueue(batch);
          own.push(batch);
          return queue.enqueue(batch, now);
        },
      },
      // No listener, so each event is one message of the batch.
      view: {
        registeredAt: readListeners,
        position: async () => undefined,
        passed: async () => undefined,
        ...view,
      },
      startFrom: -1n,
      count,
      log: pino({ enabled: false }),
      clock: () => 1_000,
      ...settings,
    });
    fanOuts.push(fanOut);
    return fanOut;
  }
  const hold = (fanOut: FanOut, partitions: readonly number[], term = 1n) => {
    for (const partition of partitions) fanOut.hold(partition, heldIn(term));
  };
  const publishToAll = async () => {
    for (const orgId of organisations) await publishTo(store, orgId, {});
  };
  const positionsBy = (own: readonly FanOutBatch[] = []) =>
    own.flatMap(({ messages }) => messages.map(({ orgId, position }) => ({ orgId, position })));
  const handedOver = (from: bigint = -1n) =>
    until(async () => {
      for await (const { data, position } of store.readAll({ from, filter: { categories: ['flow'] } })) {
        const { orgId } = data as { orgId: string };
        if (((await handedOverUpTo(queue, orgId)) ?? -1n) < position) return false;
      }
      return true;
    }, 'all to be handed over');

  it('reads all partitions of an instance by one subscription', async () => {
    await publishToAll();
    hold(instance(), all);
    await handedOver();
    expect(subscriptions).to.have.length(1);
    expect(positionsBy(batches[0])).to.have.length(organisations.length);
  });

  it('waits for no view that is behind the checkpoints, unless an event of a listener is in between', async () => {
    await publishToAll();
    const first = instance();
    hold(first, all);
    await handedOver();
    const viewAt = await store.head();
    await publishToAll();
    await handedOver();
    await first.stop();

    const asked: bigint[] = [];
    const view = {
      position: async () => viewAt,
      async passed(position: bigint) {
        asked.push(position);
      },
    };
    const second = instance(view);
    hold(second, all, 2n);
    await publishToAll();
    await handedOver();
    expect([subscriptions.at(-1), asked]).to.deep.equal([viewAt, []]);
    await second.stop();

    const data = { ...details, orgId: organisations[0] ?? '' };
    const subscribed = listenerCodec.encode({ type: 'ListenerSubscribed', data }, cause, new Date());
    const { position } = await store.append('listener-1', [subscribed]);
    const third = instance(view);
    hold(third, all, 3n);
    await publishToAll();
    await handedOver();
    expect(new Set(asked)).to.deep.equal(new Set([position]));
  });

  it('reads an event type once, and again after it has changed', async () => {
    await publishToAll();
    hold(instance(), all);
    await handedOver();
    await publishToAll();
    await handedOver();
    expect(typesRead).to.have.length(1);
    const declared = {
      change: 'declare',
      name: 'flow.completed',
      description: 'paid',
      searchable: ['data.total'],
    } as const;
    await operateEventType(store, declared, { cause, now: new Date() });
    typesRead.length = 0;
    await publishToAll();
    await handedOver();
    expect(typesRead).to.have.length(1);
  });

  it('reads the listeners of each organisation once, those of the next organisations of a batch at the same time', async () => {
    for (let round = 0; round < 3; round += 1) await publishToAll();
    hold(instance(), all);
    await handedOver();
    expect(reads.toSorted()).to.deep.equal(organisations.toSorted());
    expect(readingAtMost).to.equal(32);
  });

  it('hands each event over once, at the instance that holds the partition of its organisation', async () => {
    await publishToAll();
    const halves = [all.slice(0, 4), all.slice(4)];
    for (const half of halves) hold(instance(), half);
    await handedOver();
    for (const [at, half] of halves.entries()) {
      const expected = organisations.filter((orgId) => half.includes(partitionOf(orgId, count)));
      expect(positionsBy(batches[at]).map(({ orgId }) => orgId)).to.deep.equal(expected);
      const readers = new Set(batches[at]?.flatMap((batch) => checkpointsOf(batch).map(({ reader }) => reader)));
      // The holder of the first partition begins for all.
      if (at === 1) expect([...readers].sort()).to.deep.equal(half.map((partition) => `fan-out/${partition}`));
    }
  });

  it('continues at the next holder where the one before has stopped, in order and without a repetition', async () => {
    const [one, other] = [instance(), instance()];
    hold(one, all);
    let isOver = false;
    const publishing = (async () => {
      while (!isOver) await publishToAll();
    })();
    for (let turn = 0; turn < 10; turn += 1) {
      const [from, to] = turn % 2 === 0 ? [one, other] : [other, one];
      const move = async (partition: number) => {
        await from.release(partition);
        to.hold(partition, heldIn(BigInt(turn + 2)));
      };
      const handedOverByIt = () => positionsBy(batches[fanOuts.indexOf(to)]).length;
      const before = handedOverByIt();
      const moved = all.filter((partition) => partition === turn % count || Math.random() < 0.5);
      await Promise.all(moved.map(move));
      await until(() => handedOverByIt() > before, 'the next holder to hand over');
      for (const partition of all.filter((each) => !moved.includes(each))) await move(partition);
    }
    isOver = true;
    await publishing;
    await handedOver();
    const found = batches.flatMap(positionsBy);
    const published: bigint[] = [];
    for await (const { position } of store.readAll({ filter: { categories: ['flow'] } })) published.push(position);
    expect(found).to.have.length(published.length);
    expect(new Set(found.map(({ position }) => position))).to.deep.equal(new Set(published));
    for (const own of batches.map(positionsBy))
      for (const orgId of organisations) {
        const positions = own.filter((each) => each.orgId === orgId).map(({ position }) => position);
        expect(positions).to.deep.equal(positions.toSorted((a, b) => (a < b ? -1 : 1)));
      }
  });

  it('moves the checkpoints only of the partitions with events, and those of the others together at the end', async () => {
    const fanOut = instance({}, { keepMs: 60_000 });
    hold(fanOut, all);
    await until(() => fanOut.status().position !== undefined, 'the beginning');
    const orgId = organisations[0] ?? '';
    const position = await publishTo(store, orgId, {});
    await handedOver();
    const reader = `fan-out/${partitionOf(orgId, count)}`;
    const moved = batches[0]?.filter((batch) => checkpointsOf(batch).some((each) => each.position === position)) ?? [];
    expect(moved.map((batch) => checkpointsOf(batch).map((each) => each.reader))).to.deep.equal([[reader]]);
    expect(await fanOutPosition(queue)).to.equal(-1n);
    expect(fanOut.status()).to.include({ position, partitions: count });
    await fanOut.stop();
    expect(await fanOutPosition(queue)).to.equal(position);
    const last = checkpointsOf(batches[0]?.at(-1) as FanOutBatch);
    expect(last.map((each) => each.reader))
      .to.have.length(count - 1)
      .and.not.to.include(reader);
  });

  it('moves no checkpoint past events that were not enqueued, where it waits to move those of the other partitions', async () => {
    const fanOut = instance({}, { keepMs: 20 });
    hold(fanOut, all);
    await until(() => fanOut.status().position !== undefined, 'the beginning');
    const [orgId = ''] = organisations;
    await publishTo(store, orgId, {});
    await handedOver(); // soon after it, the checkpoints of the other partitions move
    let failures = 0;
    beforeEnqueue = async ({ messages }) => {
      if (messages.length === 0 || failures > 0) return;
      failures += 1;
      await pause(100);
      throw new StoreUnavailable('down');
    };
    const position = await publishTo(store, orgId, {});
    await until(async () => (await handedOverUpTo(queue, orgId)) === position, 'the event to be handed over');
    expect(failures).to.equal(1);
    expect(positionsBy(batches[0]).at(-1)).to.deep.equal({ orgId, position });
  });

  it('reports the position of what is in the queue while that takes nothing', async () => {
    const fanOut = instance({}, { keepMs: 20 });
    hold(fanOut, all);
    await until(() => fanOut.status().position !== undefined, 'the beginning');
    let isDown = true;
    beforeEnqueue = async () => {
      if (isDown) throw new StoreUnavailable('down');
    };
    const position = await publishTo(store, organisations[0] ?? '', {});
    await until(() => fanOut.status().error !== undefined, 'the failure');
    expect(Number(fanOut.status().position)).to.be.below(Number(position));
    isDown = false;
    await until(() => (fanOut.status().position ?? 0n) >= position, 'the event to be handed over');
  });

  it('sets an event of no organisation aside once, whichever partition that is', async () => {
    for (const half of [all.slice(0, 4), all.slice(4)]) hold(instance(), half);
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      await store.append(`flow-${name}`, [{ id: randomUUID(), type: 'odd', data: { n: 1 }, metadata: {} }]);
    await until(async () => (await queue.counts(1_000)).setAside === 5, 'all to be set aside');
    expect(batches.flat().flatMap(({ setAside }) => setAside)).to.have.length(5);
  });
});
