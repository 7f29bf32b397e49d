import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type Beginning, fanOutBeginning } from '../../../src/deliveries/fan-out/fan-out-beginning.js';
import {
  fanOutPosition,
  fanOutReader,
  handedOverUpTo,
  partitionCount,
  readerOf,
} from '../../../src/deliveries/fan-out/partitions.js';
import { type ListenerEvent, listenerCodec } from '../../../src/events/listener-events.js';
import { listenerStream } from '../../../src/listeners/listener.js';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import { partitionOf } from '../../../src/queue/policy/partition.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { subscribed, unsubscribed } from '../../listeners/fixtures.js';
import { batchOf, emptyBatch, queuedListener } from '../../support/deliveries/delivery-batches.js';
import { heldIn } from '../../support/deliveries/partition-lease.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('where the fan-out begins', () => {
  let store: EventStore;
  let queue: DeliveryQueue;

  beforeEach(() => {
    store = openSqliteEventStore({ directory: temporaryDirectory() });
    queue = openSqliteDeliveryQueue({ directory: temporaryDirectory() });
  });
  afterEach(async () => {
    await queue.close();
    await store.close();
  });

  const beginAll = (
    count: number,
    { startFrom, held = [0], signal = new AbortController().signal }: Partial<Beginning> & { held?: number[] } = {},
  ) => {
    const leases = new Map(held.map((partition) => [partition, heldIn(1n)]));
    return fanOutBeginning({ store, queue, startFrom, count, leases, signal, clock: () => 1_000 });
  };
  const begin = async (startFrom?: bigint) => (await beginAll(1, { startFrom })).get(0);

  async function loseQueue(): Promise<void> {
    await queue.close();
    queue = openSqliteDeliveryQueue({ directory: temporaryDirectory() });
  }

  async function append(event: ListenerEvent): Promise<bigint> {
    const cause = { actor: 'user:ada', correlationId: 'request-1' };
    const encoded = listenerCodec.encode(event, cause, new Date());
    return (await store.append(listenerStream(event.data.orgId, event.data.hookUrl), [encoded])).position;
  }

  async function publish(): Promise<bigint> {
    const event = { id: randomUUID(), type: 'flow.completed', data: { orgId: 'acme' }, metadata: {} };
    return (await store.append(`flow-${event.id}`, [event])).position;
  }

  it('is the end of the history where there never was a listener', async () => {
    const last = await publish();
    expect(await begin()).to.equal(last);
  });

  it('is the first listener where it never began: what other instances took before it is still owed', async () => {
    await publish();
    const first = await append(subscribed());
    await publish();
    expect(await begin()).to.equal(first);
  });

  it('is where it stopped', async () => {
    await begin();
    const checkpoint = { reader: fanOutReader, position: 7n, term: 1n, follows: true } as const;
    await queue.enqueue({ ...emptyBatch, checkpoint }, 1_000);
    expect(await begin()).to.equal(7n);
  });

  it('is refused if the queue was lost, until a start position is given', async () => {
    await append(subscribed());
    await begin();
    const position = await publish();
    await loseQueue();

    expect(await begin().catch((error: unknown) => error)).to.have.property('code', 'deliveries_lost');
    expect(await begin(position)).to.equal(position);
    expect(await begin()).to.equal(position);
  });

  it('leaves the gates closed of all listeners that were removed, before anything is handed over', async () => {
    const { listenerId } = unsubscribed({ since: 0 }).data;
    await append(subscribed());
    await begin();
    await publish();
    await append(unsubscribed({ since: 0 }));
    await loseQueue();

    await begin(-1n);
    await queue.enqueue(batchOf([queuedListener({ listenerId })]), 1_000);
    expect(await queue.counts(1_000)).to.include({ waiting: 0, cancelled: 1 });
  });

  describe('in many partitions', () => {
    const count = 8;
    const all = Array.from({ length: count }, (_, partition) => partition);
    const waiting = (orgId: string, position: bigint) => ({ orgId, position, stream: `flow-${orgId}`, revision: 0n });

    it('is the same position for all, at whichever instance they are', async () => {
      const last = await publish();
      const waits = beginAll(count, { held: [3, 5] });
      const first = await beginAll(count, { held: [0, 1, 2] });
      expect([...first]).to.deep.equal([0, 1, 2].map((partition) => [partition, last]));
      expect([...(await waits)]).to.deep.equal([3, 5].map((partition) => [partition, last]));
      expect(await fanOutPosition(queue)).to.equal(last);
    });

    it('is the checkpoint from before there were partitions, and their waiting events move with it', async () => {
      await begin(-1n);
      const events = [waiting('acme', 3n), waiting('acme', 4n), waiting('globex', 2n)];
      const checkpoint = { reader: fanOutReader, position: 7n, term: 1n, follows: true, waiting: events } as const;
      await queue.enqueue({ ...emptyBatch, checkpoint }, 1_000);
      expect(new Set((await beginAll(count, { held: all })).values())).to.deep.equal(new Set([7n]));
      expect(await handedOverUpTo(queue, 'acme')).to.equal(2n);
      expect(await handedOverUpTo(queue, 'globex')).to.equal(1n);
      expect((await queue.waiting([fanOutReader])).map(({ orgId }) => orgId)).to.deep.equal([]);
      const reader = readerOf(partitionOf('acme', count), count);
      const handedOver = { reader, position: 7n, follows: true, handedOver: waiting('acme', 3n) } as const;
      await queue.enqueue({ ...emptyBatch, checkpoint: handedOver }, 1_000);
      expect((await queue.waiting([reader], 'acme'))[0]).to.deep.equal(waiting('acme', 4n));
    });

    it('is the checkpoint of each, and the lowest is the position of all', async () => {
      await beginAll(count, { startFrom: -1n, held: all });
      const moved = all.slice(1).map((partition) => ({ reader: readerOf(partition, count), position: 9n }));
      await queue.enqueue({ ...emptyBatch, checkpoint: moved }, 1_000);
      expect([...(await beginAll(count, { held: [0, 1] }))]).to.deep.equal([
        [0, -1n],
        [1, 9n],
      ]);
      expect(await fanOutPosition(queue)).to.equal(-1n);
    });

    it('is refused with another number than at the first start', async () => {
      await beginAll(count, { held: [0] });
      for (const other of [1, 4, 16]) {
        const refusal = await rejection(beginAll(other, { held: [0] }));
        expect(refusal).to.include({ code: 'fan_out_partitions_differ' });
        expect((refusal as Error).message)
          .to.contain(`FAN_OUT_PARTITIONS is ${other}`)
          .and.contain('set it to 8');
      }
      expect(await partitionCount(queue)).to.equal(count);
    });

    it('is refused at each instance if the queue was lost, until a start position is given', async () => {
      await append(subscribed());
      await beginAll(count, { held: all });
      const position = await publish();
      await loseQueue();
      for (const held of [[0], [3]])
        expect(await rejection(beginAll(count, { held }))).to.include({ code: 'deliveries_lost' });
      const [waits, begins] = [[3], [0]].map((held) => beginAll(count, { startFrom: position, held }));
      expect([...((await begins) ?? [])]).to.deep.equal([[0, position]]);
      expect([...((await waits) ?? [])]).to.deep.equal([[3, position]]);
    });

    it('is awaited until the instance is stopped', async () => {
      const stopping = new AbortController();
      const waits = beginAll(count, { held: [3], signal: stopping.signal });
      stopping.abort(new Error('stopped'));
      expect(await rejection(waits)).to.have.property('message', 'stopped');
    });
  });
});
