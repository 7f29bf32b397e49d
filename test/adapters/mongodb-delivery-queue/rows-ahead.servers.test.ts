import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type Db, MongoClient } from 'mongodb';
import type { QueuedListener } from '../../../src/queue/delivery.js';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import type { LeasedBatch } from '../../../src/queue/leasing.js';
import { openMongoDeliveryQueue } from '../../../src/queue/mongodb/mongodb-delivery-queue.js';
import {
  batchOf,
  changedListener,
  emptyBatch,
  failed,
  leaseRequest,
  queuedListener,
  released,
  succeeded,
} from '../../support/deliveries/delivery-batches.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { nameOf, sentBy } from '../../support/mongodb/sent-commands.js';

/** Time after which the record of an instance is read again. */
const readAgainMs = 150;

onMongoDb('the delivery queue: rows ahead', ({ server, database }) => {
  describe('the delivery queue: rows of an ordered listener that follow one another', () => {
    const client = new MongoClient(server.url, { monitorCommands: true, ignoreUndefined: true, useBigInt64: true });
    after(() => client.close());

    let db: Db;
    let queue: DeliveryQueue;
    /** Another instance. */
    let other: DeliveryQueue;
    let listener: QueuedListener;
    let leased: LeasedBatch;
    const { now: originalNow } = performance;
    let moment = performance.now();

    const partitions = new Map([[0, { isHeld: () => true }]]);
    const lease = async (onlyNextOf?: readonly string[]) => {
      leased = await queue.lease(leaseRequest({ onlyNextOf, partitions }));
      return leased.deliveries.map(({ eventId }) => eventId);
    };
    const succeed = () => queue.record(leased.deliveries.map(succeeded), 1_000);
    const follow = () => lease([listener.listenerId]);

    /** Has rows 2 to 19 read with row 1, which is the second that the listener gets. */
    beforeEach(async () => {
      performance.now = () => moment; // a busy machine takes longer than rows are kept
      db = client.db(database(randomUUID()).db.databaseName);
      queue = await openMongoDeliveryQueue({ db, patient: db, partitions: 1 });
      other = await openMongoDeliveryQueue({ db, patient: db });
      listener = queuedListener({ ordered: true });
      await queue.enqueue(batchOf([listener], 20, 'event'), 900);
      await lease();
      await succeed();
      expect(await lease()).to.deep.equal(['event-1']);
    });
    afterEach(async () => {
      performance.now = originalNow;
      await queue.close();
      await other.close();
    });

    it('take one command each, that of the outcome before', async () => {
      const got: string[] = [];
      const sent = await sentBy(client, async () => {
        for (let number = 2; number < 12; number += 1) {
          await succeed();
          got.push(...(await follow()));
        }
      });
      expect(got).to.deep.equal(Array.from({ length: 10 }, (_, index) => `event-${index + 2}`));
      const ours = sent.map(nameOf).filter((name) => !/queue\.(primary|halfHours|tally|activity)$/.test(name));
      expect(ours).to.deep.equal(Array(10).fill('update queue.deliveries'));
    });

    it('are read again after another instance has closed, paused or changed the listener', async () => {
      await succeed();
      await other.enqueue(
        { ...emptyBatch, listeners: [changedListener(listener, { secretVersion: 2, position: 9n })] },
        900,
      );
      moment += readAgainMs;
      expect(await follow()).to.deep.equal([]);
      expect(await lease()).to.deep.equal(['event-2']);
      expect(leased.deliveries[0]?.secret.version).to.equal(2);

      await succeed();
      await other.enqueue({ ...emptyBatch, listeners: [{ ...listener, paused: true, position: 40n }] }, 900);
      moment += readAgainMs;
      expect(await follow()).to.deep.equal([]);
      expect(await lease()).to.deep.equal([]);
    });

    it('are not leased before the one in front where that was released, or has failed', async () => {
      await queue.record(leased.deliveries.map(released), 1_000);
      expect(await follow()).to.deep.equal([]);
      expect(await lease()).to.deep.equal(['event-1']);
      await queue.record(
        leased.deliveries.map((each) => failed(each, 5_000)),
        1_000,
      );
      expect(await follow()).to.deep.equal([]);
      expect(await lease()).to.deep.equal([]);
    });

    it('are not leased behind a gate that has closed', async () => {
      await succeed();
      await other.withdraw({ listenerId: listener.listenerId });
      moment += readAgainMs;
      expect(await follow()).to.deep.equal([]);
      expect(await queue.counts(1_000)).to.include({ waiting: 0, succeeded: 2 });
    });
  });
});
