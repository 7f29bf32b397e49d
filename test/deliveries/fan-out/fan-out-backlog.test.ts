import { expect } from 'chai';
import type { FanOut } from '../../../src/deliveries/fan-out/fan-out.js';
import { readerOf } from '../../../src/deliveries/fan-out/partitions.js';
import { type ListenerEvent, listenerCodec } from '../../../src/events/listener-events.js';
import { listenerStream } from '../../../src/listeners/listener.js';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import { checkpointsOf } from '../../../src/queue/fan-out-batch.js';
import { partitionOf } from '../../../src/queue/policy/partition.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { paused, resumed, subscribed, unsubscribed } from '../../listeners/fixtures.js';
import {
  costly,
  other,
  otherListener,
  type PlainState,
  plainListener,
  publishTo,
  startFanOutOf,
  untilHandedOver,
} from '../../support/deliveries/costly-organisation.js';
import { leaseRequest, succeeded } from '../../support/deliveries/delivery-batches.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { until } from '../../support/until.js';

for (const count of [1, 8])
  describe(`the fan-out, in ${count} partitions, of an organisation whose filters take more than its share of the time`, () => {
    let store: EventStore;
    let queue: DeliveryQueue;
    let fanOut: FanOut | undefined;
    /** The positions of the messages with deliveries, in the order in which they were enqueued. */
    let enqueued: bigint[];

    beforeEach(() => {
      const directory = temporaryDirectory();
      store = openSqliteEventStore({ directory });
      const opened = openSqliteDeliveryQueue({ directory });
      enqueued = [];
      queue = {
        ...opened,
        enqueue(batch, now) {
          enqueued.push(...batch.messages.filter(({ body }) => body !== null).map(({ position }) => position));
          return opened.enqueue(batch, now);
        },
      };
    });
    afterEach(async () => {
      await fanOut?.stop();
      await queue.close();
      await store.close();
    });

    const start = (stateAt?: PlainState) => {
      fanOut = startFanOutOf(store, queue, stateAt, count);
    };
    /** Returns the positions. */
    async function publish(orgId: string, count = 1): Promise<readonly bigint[]> {
      const positions: bigint[] = [];
      for (let event = 0; event < count; event += 1) {
        positions.push(await publishTo(store, orgId, {}));
      }
      return positions;
    }

    async function append(event: ListenerEvent): Promise<bigint> {
      const encoded = listenerCodec.encode(event, { actor: 'test', correlationId: 'test' }, new Date());
      return (await store.append(listenerStream(event.data.orgId, event.data.hookUrl), [encoded])).position;
    }
    const reader = readerOf(partitionOf(costly, count), count);
    const isBehind = async () => (await queue.waiting([reader], costly))[0] !== undefined;
    const stateOf = async (listenerId: string) => {
      const found = (await queue.deliveries({ orgId: costly, listenerId, limit: 100 })).deliveries;
      return found.toReversed().map(({ state }) => state);
    };

    it("hands over another's events while its own wait, and its own in their order", async () => {
      const own = await publish(costly, 4);
      const [others] = await publish(other);
      start();
      await untilHandedOver(store, queue);
      expect(enqueued.indexOf(others ?? -1n), 'before those that came first').to.be.within(0, 2);
      expect(enqueued.filter((position) => position !== others)).to.deep.equal(own);
      expect(fanOut?.status()).to.include({ organisationsWaiting: 0, error: undefined });
      expect(
        (await queue.deliveries({ orgId: other, listenerId: otherListener.listenerId })).deliveries,
      ).to.have.lengthOf(1);
    });

    it('lets an event without costs wait behind them, so that an ordered listener gets all in their order', async () => {
      await publish(costly, 3);
      await publishTo(store, costly, {});
      start();
      await untilHandedOver(store, queue);
      const received: string[] = [];
      for (let place = 0; place < 4; place += 1) {
        const { deliveries } = await queue.lease(leaseRequest());
        expect(deliveries).to.have.lengthOf(1);
        received.push(...deliveries.map(({ eventId }) => eventId));
        await queue.record(deliveries.map(succeeded), 1_000);
      }
      const published: string[] = [];
      for await (const { id } of store.readAll({ filter: { categories: ['flow'] } })) published.push(id);
      expect(received).to.deep.equal(published);
    });

    it('resumes after a stop with the events that wait', async () => {
      const positions = await publish(costly, 4);
      start();
      await until(isBehind, 'events to wait');
      await fanOut?.stop();
      expect(await isBehind(), 'some wait').to.equal(true);
      await publish(other);
      start();
      await untilHandedOver(store, queue);
      expect(await stateOf(plainListener.listenerId)).to.deep.equal(['waiting', 'waiting', 'waiting', 'waiting']);
      expect(enqueued.at(-1)).to.equal(positions.at(-1));
    });

    it('releases held deliveries only once the events before the resume have been handed over', async () => {
      const { data } = subscribed({ ...plainListener, ordered: true });
      await append({ type: 'ListenerSubscribed', data });
      const pausedAt = await append(paused({ ...plainListener, ordered: true, since: 0 }));
      await publish(costly, 3);
      const resumedAt = await append(resumed({ ...plainListener, ordered: true, since: 1, redeliverHeld: true }));
      await publish(costly, 1);
      start((position) => (position > pausedAt && position < resumedAt ? 'paused' : 'active'));
      await untilHandedOver(store, queue);
      expect(await stateOf(plainListener.listenerId)).to.deep.equal(['waiting', 'waiting', 'waiting', 'waiting']);
    });

    it('delivers nothing to a listener that is removed while they wait, and closes its gate before them', async () => {
      await publish(costly, 3);
      const removedAt = await append(unsubscribed({ ...plainListener, since: 0 }));
      start((position) => (position < removedAt ? 'active' : undefined));
      await until(isBehind, 'events to wait');
      expect(await queue.closedGates([plainListener.listenerId]), 'while events wait').to.deep.equal(
        new Set([plainListener.listenerId]),
      );
      await untilHandedOver(store, queue);
      expect(new Set(await stateOf(plainListener.listenerId))).not.to.include('waiting');
      expect((await queue.lease(leaseRequest())).deliveries).to.deep.equal([]);
    });

    it('passes an event that is deleted while it waits', async () => {
      await publish(costly, 3);
      start();
      await until(isBehind, 'events to wait');
      for await (const { stream } of store.readAll({ limit: 1 })) await store.deleteStream(stream);
      await publish(other);
      await untilHandedOver(store, queue);
      expect(enqueued.length).to.be.below(4);
    });

    it('tries again after a failure, and loses nothing', async () => {
      const { enqueue } = queue;
      let failures = 2;
      queue.enqueue = (batch, now) => {
        if (checkpointsOf(batch).some(({ handedOver }) => handedOver) && failures > 0) {
          failures -= 1;
          return Promise.reject(new Error('no space'));
        }
        return enqueue(batch, now);
      };
      await publish(costly, 2);
      start();
      await untilHandedOver(store, queue);
      expect(failures).to.equal(0);
      expect(await stateOf(plainListener.listenerId)).to.deep.equal(['waiting', 'waiting']);
    });
  });
