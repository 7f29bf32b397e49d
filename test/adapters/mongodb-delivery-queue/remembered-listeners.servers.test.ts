import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { type Db, MongoClient } from 'mongodb';
import type { QueuedListener } from '../../../src/queue/delivery.js';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import type { ReaderLease } from '../../../src/queue/fan-out-batch.js';
import type { LeasedDelivery } from '../../../src/queue/leasing.js';
import { openMongoDeliveryQueue } from '../../../src/queue/mongodb/mongodb-delivery-queue.js';
import {
  batchOf,
  changedListener,
  emptyBatch,
  enqueueAndLease,
  failed,
  leaseRequest,
  queuedListener,
  succeeded,
} from '../../support/deliveries/delivery-batches.js';
import { reader } from '../../support/deliveries/first-attempts.js';
import { failing } from '../../support/mongodb/faults/failing-db.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { nameOf, sentBy } from '../../support/mongodb/sent-commands.js';

/** Time after which the record of an instance is read again. */
const readAgainMs = 150;

onMongoDb('the delivery queue: remembered listeners', ({ server, database }) => {
  describe('the delivery queue: listeners that an instance remembers', () => {
    const client = new MongoClient(server.url, { monitorCommands: true, ignoreUndefined: true, useBigInt64: true });
    after(() => client.close());

    let db: Db;
    let queue: DeliveryQueue;
    /** Another instance. */
    let other: DeliveryQueue;
    let listener: QueuedListener;
    let lease: ReaderLease;
    const leaseOf = (): ReaderLease => ({
      isHeld: () => true,
      has: () => true,
      signal: new AbortController().signal,
    });

    /** Hands over an event to the listener. Resolves with what can be attempted. */
    async function handOver(position: bigint): Promise<readonly LeasedDelivery[]> {
      const checkpoint = { reader, position, term: 1n, follows: true, lease } as const;
      const handed = await enqueueAndLease(queue, { ...batchOf([listener]), checkpoint }, 900, leaseRequest());
      return handed.lease?.deliveries ?? [];
    }

    beforeEach(async () => {
      db = client.db(database(randomUUID()).db.databaseName);
      queue = await openMongoDeliveryQueue({ db, patient: db, partitions: 1 });
      other = await openMongoDeliveryQueue({ db, patient: db, partitions: 1 });
      listener = queuedListener();
      lease = leaseOf();
      await queue.enqueue(
        { ...emptyBatch, listeners: [listener], checkpoint: { reader, position: 0n, term: 1n } },
        800,
      );
      await queue.record((await handOver(1n)).map(succeeded), 900);
    });
    afterEach(async () => {
      await queue.close();
      await other.close();
    });

    it('are not read for their next events', async () => {
      let leased: readonly LeasedDelivery[] = [];
      const sent = await sentBy(client, async () => {
        leased = await handOver(2n);
      });
      expect(leased).to.have.length(1);
      expect(sent.map(nameOf)).to.include('find queue.messages').and.not.to.include('find queue.listeners');
    });

    it('are read again after another instance has closed, paused or changed them', async () => {
      const changes = [
        () => other.withdraw({ listenerId: listener.listenerId }),
        () => other.enqueue({ ...emptyBatch, listeners: [{ ...listener, paused: true, position: 9n }] }, 900),
        () =>
          other.enqueue(
            { ...emptyBatch, listeners: [changedListener(listener, { ordered: true, position: 9n })] },
            900,
          ),
      ];
      for (const change of changes) {
        listener = queuedListener();
        await queue.enqueue({ ...emptyBatch, listeners: [listener] }, 800);
        await queue.record((await handOver(2n)).map(succeeded), 900);
        await change();
        await pause(readAgainMs);
        const sent = await sentBy(client, () => handOver(3n));
        expect(sent.map(nameOf)).to.include('find queue.listeners');
      }
    });

    it('are read again if more have changed than a record names', async () => {
      for (let count = 0; count < 70; count += 1) {
        const { listenerId } = count === 0 ? listener : queuedListener();
        await other.withdraw({ listenerId });
      }
      await pause(readAgainMs);
      expect(await handOver(2n)).to.deep.equal([]);
    });

    it('are read again under a new lease, since its last holder changes them alone', async () => {
      await db.collection('queue.listeners').updateMany({}, { $set: { closed: true } });
      lease = leaseOf();
      expect(await handOver(2n)).to.deep.equal([]);
    });

    it('are read again where the record of the instance is gone', async () => {
      await db.collection('queue.primary').deleteMany({});
      await db.collection('queue.listeners').updateMany({}, { $set: { closed: true } });
      await pause(readAgainMs);
      expect(await handOver(2n)).to.deep.equal([]);
    });

    it('are read again where the record of the instance is older than it was', async () => {
      const records = db.collection('queue.primary');
      const before = await records.find().toArray();
      await queue.withdraw({ listenerId: queuedListener().listenerId });
      await pause(readAgainMs);
      await queue.record((await handOver(2n)).map(succeeded), 900);
      await records.deleteMany({});
      await records.insertMany(before);
      await db.collection('queue.listeners').updateMany({}, { $set: { closed: true } });
      await pause(readAgainMs);
      expect(await handOver(3n)).to.deep.equal([]);
    });

    it('are told of by the next call after one that failed', async () => {
      let isBroken = true;
      const breaking = await openMongoDeliveryQueue(
        failing(db, ({ collection, method }) =>
          isBroken && collection === 'queue.primary' && method === 'bulkWrite' ? 'before' : undefined,
        ),
      );
      await breaking.withdraw({ listenerId: listener.listenerId }).catch(() => undefined);
      isBroken = false;
      await breaking.withdraw({ listenerId: queuedListener().listenerId });
      await pause(readAgainMs);
      expect(await handOver(2n)).to.deep.equal([]);
      await breaking.close();
      expect(await db.collection('queue.primary').countDocuments(), 'the record of an instance that stopped').to.equal(
        1,
      );
    });

    it('wait after a failure that an instance records which has lost their partition', async () => {
      let isHeld = true;
      const partitions = new Map([[0, { isHeld: () => isHeld }]]);
      await other.redeliver({ orgId: 'acme' }, 900);
      const [late] = (await other.lease({ ...leaseRequest(), partitions })).deliveries;
      isHeld = false;
      const calm = (await handOver(2n)).map(succeeded);
      await queue.record(calm, 900);
      await other.record([failed(late as LeasedDelivery, 9_000, { notBefore: 9_000 })], 900);
      await pause(readAgainMs);
      expect(await handOver(3n)).to.deep.equal([]);
    });
  });
});
