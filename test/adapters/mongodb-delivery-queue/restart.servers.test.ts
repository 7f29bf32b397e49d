import { expect } from 'chai';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import type { Outcome } from '../../../src/queue/leasing.js';
import { openMongoDeliveryQueue } from '../../../src/queue/mongodb/mongodb-delivery-queue.js';
import { type MongoDatabase, openMongoDb } from '../../../src/stores/mongodb/mongodb-database.js';
import { batchOf, leaseRequest, queuedListener, succeeded } from '../../support/deliveries/delivery-batches.js';
import { onMongoDb, onStoppableMongoDb } from '../../support/mongodb/on-mongodb.js';
import { startMongoDb } from '../../support/mongodb/start-mongodb.js';
import { until } from '../../support/until.js';

onMongoDb('the delivery queue: a server that is restarted', () => {
  onStoppableMongoDb(() => {
    it('loses no acknowledged delivery when the server is restarted under load, and the queue continues by itself', async () => {
      const server = await startMongoDb();
      const database = openMongoDb({ url: server.url, database: 'restarted' });
      const queue = await openMongoDeliveryQueue(database);
      const load = startLoad(queue);
      await until(() => load.acknowledged.length > 100 && load.recorded > 50, 'some load');
      await server.restart?.({ keepData: true });
      const [enqueued, recorded] = [load.acknowledged.length, load.recorded];
      await until(() => load.acknowledged.length > enqueued + 50 && load.recorded > recorded + 20, 'it to go on', {
        limitMs: 60_000,
      });
      await load.stop();

      const all = new Set((await deliveriesOf(database)).map(String));
      expect(load.acknowledged.filter((id) => !all.has(id))).to.deep.equal([]);
      expect(load.trouble.filter((error) => !(error instanceof StoreUnavailable))).to.deep.equal([]);
      await drain(queue);
      expect((await queue.counts(2e12)).waiting).to.equal(0);
      expect(
        (await queue.deliveries({ orgId: 'acme', limit: 100_000 })).deliveries.filter(
          ({ state }) => state !== 'succeeded',
        ),
      ).to.deep.equal([]);
      await queue.close();
      await database.close();
      await server.stop?.();
    }).timeout(180_000);
  });
});

/** Enqueues, leases and records continuously, and continues after every failure. */
function startLoad(queue: DeliveryQueue) {
  const listeners = [queuedListener(), queuedListener(), queuedListener()];
  const load = { acknowledged: [] as string[], recorded: 0, trouble: [] as unknown[], stop: async () => {} };
  let stopping = false;

  async function repeat(work: () => Promise<void>): Promise<void> {
    while (!stopping) await work().catch((error: unknown) => load.trouble.push(error));
  }
  const loops = [
    repeat(async () => {
      const batch = batchOf(listeners, 3);
      await queue.enqueue(batch, 900);
      load.acknowledged.push(...batch.deliveries.map(({ id }) => id));
    }),
    repeat(async () => {
      const { deliveries } = await queue.lease(leaseRequest({ limit: 5 }));
      await recordInTheEnd(queue, deliveries.map(succeeded), load);
    }),
  ];
  load.stop = async () => {
    stopping = true;
    await Promise.all(loops);
  };
  return load;
}

/** Records as the worker does, since an attempted delivery is under way until then. */
async function recordInTheEnd(
  queue: DeliveryQueue,
  outcomes: readonly Outcome[],
  load: { recorded: number; trouble: unknown[] },
): Promise<void> {
  for (;;) {
    try {
      load.recorded += (await queue.record(outcomes, 1_000)).counted;
      return;
    } catch (error) {
      load.trouble.push(error);
    }
  }
}

const deliveriesOf = ({ db }: MongoDatabase) => db.collection('queue.deliveries').distinct('_id');

/** Delivers all waiting deliveries, including those of interrupted calls. */
async function drain(queue: DeliveryQueue): Promise<void> {
  for (let now = 1e12; ; now += 1e6) {
    const { deliveries, nextDueAt } = await queue.lease(leaseRequest({ now, limit: 500, perListener: 500 }));
    if (deliveries.length === 0 && nextDueAt === undefined) return;
    await queue.record(deliveries.map(succeeded), now);
  }
}
