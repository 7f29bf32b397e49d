import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type CommandStartedEvent, MongoClient } from 'mongodb';
import { pino } from 'pino';
import { openMongoDeliveryQueue } from '../../../src/deliveries/mongodb/mongodb-delivery-queue.js';
import type { DeliveryQueue } from '../../../src/deliveries/queue/delivery-queue.js';
import type { LeasedDelivery, LeaseRequest } from '../../../src/deliveries/queue/leasing.js';
import { type MongoDatabase, openMongoDb } from '../../../src/stores/mongodb/mongodb-database.js';
import {
  batchOf,
  failed,
  leaseRequest,
  queuedListener,
  released,
  succeeded,
} from '../../support/deliveries/delivery-batches.js';
import { type Break, failing } from '../../support/mongodb/faults/failing-db.js';
import { laterServer } from '../../support/mongodb/later-server.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { rejection } from '../../support/rejection.js';
import { until } from '../../support/until.js';

onMongoDb('the delivery queue: leasing by several instances', ({ server, database }) => {
  describe('the delivery queue: leasing by several instances', () => {
    /** The same database over two separate connections, as two instances have it. */
    function twoInstances(): readonly [MongoDatabase, MongoDatabase] {
      const one = database(randomUUID());
      const other = openMongoDb({ url: server.url, database: one.db.databaseName });
      opened.push(other);
      return [one, other];
    }
    const opened: MongoDatabase[] = [];
    after(() => Promise.all(opened.map(({ close }) => close())));

    it('leases the rest of a listener later, if attempts ended while it read due deliveries', async () => {
      const { db } = database(randomUUID());
      const client = new MongoClient(server.url, { monitorCommands: true, ignoreUndefined: true });
      const queue = await openMongoDeliveryQueue({ db: client.db(db.databaseName), patient: db });
      const listener = queuedListener();
      await queue.enqueue(batchOf([listener], 5), 900);
      const inFlightByListener = new Map([[listener.listenerId, 3]]); // as a worker has it, which changes it
      client.on('commandStarted', ({ command }: CommandStartedEvent) => {
        if (command.filter?.state === 'waiting') inFlightByListener.clear();
      });
      const lease = async (request: LeaseRequest) => (await queue.lease(request)).deliveries.length;
      const first = await lease(leaseRequest({ limit: 10, perListener: 5, inFlightByListener }));
      expect(first).to.equal(2);
      expect(await lease(leaseRequest())).to.equal(3);
      await queue.close();
      await client.close();
    });

    it('never lets two instances that race hold one delivery at once', async () => {
      const queues = await Promise.all(twoInstances().map(openMongoDeliveryQueue));
      const listeners = Array.from({ length: 4 }, () => queuedListener());
      await queues[0]?.enqueue(batchOf(listeners, 60), 900);
      const held = new Set<string>();
      const twice: string[] = [];
      const done: string[] = [];

      async function work(queue: DeliveryQueue): Promise<void> {
        for (let lastFew = 0; lastFew < 3; ) {
          const { deliveries } = await queue.lease(leaseRequest({ limit: 12, perListener: 5 }));
          if (deliveries.length === 0) lastFew += 1;
          for (const { id } of deliveries) {
            if (held.has(id)) twice.push(id);
            held.add(id);
          }
          const outcomes = deliveries.map((delivery) =>
            Math.random() < 0.2 ? released(delivery) : succeeded(delivery),
          );
          for (const { id, kind } of outcomes) {
            held.delete(id);
            if (kind === 'succeeded') done.push(id);
          }
          expect((await queue.record(outcomes, 1_000)).counted).to.equal(outcomes.length);
        }
      }
      await Promise.all([...queues, ...queues].map(work));

      expect(twice).to.deep.equal([]);
      expect(done.length).to.equal(240);
      expect(new Set(done).size).to.equal(240);
      await queues[1]?.close(); // writes its statistics
      expect(await queues[0]?.counts(1_000)).to.include({ waiting: 0, succeeded: 240 });
    });

    it('leases deliveries although the due hints of listeners cannot be written, and logs the failure once', async () => {
      const { db } = database(randomUUID());
      const queue = await openMongoDeliveryQueue({ db, patient: db });
      await queue.enqueue(batchOf([queuedListener(), queuedListener(), queuedListener()]), 900);
      const lines: string[] = [];
      const log = pino({}, { write: (line) => void lines.push(line) });
      const hintless = failing(db, ({ collection, method }) =>
        collection === 'queue.listeners' && method === 'bulkWrite' ? 'before' : undefined,
      );
      const troubled = await openMongoDeliveryQueue({ ...hintless, log });
      expect((await troubled.lease(leaseRequest({ limit: 1 }))).deliveries).to.have.length(1);
      expect((await troubled.lease(leaseRequest({ limit: 1 }))).deliveries).to.have.length(1);
      expect(lines).to.have.length(1);
      expect(lines[0]).to.include('ConnectionBroken');
      expect((await queue.lease(leaseRequest())).deliveries).to.have.length(1);
    });

    it('cancels deliveries behind a gate that has just closed, and leases none of them', async () => {
      const { db } = database(randomUUID());
      const queue = await openMongoDeliveryQueue({ db, patient: db });
      const [ending, staying] = [queuedListener(), queuedListener()];
      await queue.enqueue(batchOf([ending, staying], 2), 900);
      // The state between the two steps of closing a gate, before its deliveries are cancelled.
      await db
        .collection('queue.listeners')
        .updateOne({ hookUrl: ending.hookUrl, closed: false }, { $set: { closed: true } });

      const { deliveries } = await queue.lease(leaseRequest());
      expect(deliveries.length).to.equal(2);
      expect(new Set(deliveries.map(({ listenerId }) => listenerId)).size).to.equal(1);
      expect(await queue.counts(1_000)).to.include({ waiting: 2, cancelled: 2 });
    });

    it('leases deliveries again after the lease expiry, and ignores later outcomes of the former holder', async () => {
      const queue = await openMongoDeliveryQueue(database(randomUUID()));
      await queue.enqueue(batchOf([queuedListener()]), 900);
      const lost = (await queue.lease(leaseRequest({ now: 1_000, leaseMs: 300 }))).deliveries;
      expect((await queue.lease(leaseRequest({ now: 1_000 }))).deliveries).to.deep.equal([]);

      let taken: readonly LeasedDelivery[] = [];
      await until(async () => {
        taken = (await queue.lease(leaseRequest({ now: 2_000 }))).deliveries;
        return taken.length > 0;
      }, 'the lease to run out');
      expect(await queue.record(lost.map(succeeded), 2_000)).to.include({ counted: 0 });
      expect(await queue.counts(2_000)).to.include({ waiting: 1, succeeded: 0 });
      expect(await queue.record(taken.map(succeeded), 2_000)).to.include({ counted: 1 });
      expect(await queue.record(taken.map(succeeded), 2_000)).to.include({ counted: 0 });
      await queue.close();
    });

    it('returns the end of a lease as the next due time', async () => {
      const queue = await openMongoDeliveryQueue(database(randomUUID()));
      await queue.enqueue(batchOf([queuedListener()]), 900);
      await queue.lease(leaseRequest({ now: 1_000, leaseMs: 500_000 }));
      expect((await queue.lease(leaseRequest({ now: 1_100 }))).nextDueAt).to.be.within(400_000, 501_100);
      await queue.close();
    });

    /**
     * Records a failure over a connection that breaks at its `number`th write. Returns whether that write was reached.
     */
    async function retryAfterBreak(number: number, broken: Break): Promise<boolean> {
      const { db } = database(randomUUID());
      const queue = await openMongoDeliveryQueue({ db, patient: db });
      await queue.enqueue(batchOf([queuedListener()]), 900);
      const { deliveries } = await queue.lease(leaseRequest({ now: 1_000, leaseMs: 9_000 }));
      const dying = await openMongoDeliveryQueue(
        failing(db, (write) => (write.number === number ? broken : undefined)),
      );
      const retries = deliveries.map((delivery) => failed(delivery, 5_000));
      const result = await dying.record(retries, 1_000).catch((error: unknown) => error);

      const due = await queue.lease(leaseRequest({ now: 5_000 }));
      const later = await openMongoDeliveryQueue(laterServer(db, 9_000));
      const taken = due.deliveries.length > 0 ? due : await later.lease(leaseRequest({ now: 10_000 }));
      expect(taken.deliveries).to.have.length(1);
      expect((await later.lease(leaseRequest({ now: 10_000 }))).deliveries).to.deep.equal([]);
      return result instanceof Error;
    }

    for (const broken of ['before', 'after'] as const) {
      it(`leases a retry again after its recorder died ${broken} any of its writes, at the latest at the lease expiry`, async () => {
        let steps = 0;
        while (await retryAfterBreak(steps + 1, broken)) steps += 1;
        expect(steps).to.be.within(4, 10);
      });
    }

    it('leaves no due hint and no lease check after all deliveries of a listener have succeeded', async () => {
      const { db, patient } = database(randomUUID());
      const queue = await openMongoDeliveryQueue({ db, patient });
      await queue.enqueue(
        batchOf(
          Array.from({ length: 20 }, () => queuedListener()),
          2,
        ),
        900,
      );
      const { deliveries } = await queue.lease(leaseRequest({ perListener: 1 }));
      const rest = await queue.lease(leaseRequest());
      await queue.record([...deliveries, ...rest.deliveries].map(succeeded), 1_000);
      expect(await db.collection('queue.listeners').countDocuments({ nextDue: { $exists: true } })).to.equal(0);
      expect(await db.collection('queue.deliveries').countDocuments({ leaseCheckAt: { $exists: true } })).to.equal(0);
      expect(await queue.lease(leaseRequest({ now: 1e12 }))).to.deep.equal({ deliveries: [], nextDueAt: undefined });
    });

    it('leases deliveries to another instance after the leases of a dead holder have expired', async () => {
      const [one, another] = twoInstances();
      const dying = await openMongoDeliveryQueue(one);
      await dying.enqueue(batchOf([queuedListener()], 5), 900);
      await dying.lease(leaseRequest({ leaseMs: 60_000 }));
      const other = await openMongoDeliveryQueue(laterServer(another.db, 60_000));
      const { deliveries } = await other.lease(leaseRequest());
      expect(deliveries.length).to.equal(5);
      expect((await other.record(deliveries.map(succeeded), 1_600)).counted).to.equal(5);
    });

    it('takes over no delivery from an instance whose clock is an hour behind or ahead', async () => {
      const queues = await Promise.all(twoInstances().map(openMongoDeliveryQueue));
      const [one, other] = queues as [DeliveryQueue, DeliveryQueue];
      const now = 100 * 3_600_000;
      await one.enqueue(batchOf([queuedListener()], 2), now);
      const [first] = (await one.lease(leaseRequest({ now, limit: 1 }))).deliveries;
      const { deliveries: rest, nextDueAt } = await other.lease(leaseRequest({ now: now + 3_600_000 }));
      expect(rest).to.have.length(1);
      expect(rest[0]?.id).not.to.equal(first?.id);
      expect(nextDueAt).to.be.above(now + 3_600_000);
      expect((await one.lease(leaseRequest({ now }))).deliveries).to.deep.equal([]);
      const outcomes = [...rest, ...(first ? [first] : [])].map(succeeded);
      expect((await one.record(outcomes, now)).counted).to.equal(2);
    });

    it('keeps the due times of deliveries when the wall clock of an instance is set back', async () => {
      const { db } = database(randomUUID());
      const queue = await openMongoDeliveryQueue({ db, patient: db });
      const now = 100 * 3_600_000;
      const back = now - 3_600_000;
      await queue.enqueue(batchOf([queuedListener()], 2), now);
      const [first] = (await queue.lease(leaseRequest({ now, limit: 1 }))).deliveries;
      const { deliveries } = await queue.lease(leaseRequest({ now: back }));
      expect(deliveries).to.have.length(1);
      await queue.record([...deliveries.map(succeeded), ...(first ? [failed(first, back + 5_000)] : [])], back);
      expect((await queue.lease(leaseRequest({ now: back + 4_999 }))).nextDueAt).to.equal(back + 5_000);
      expect((await queue.lease(leaseRequest({ now: back + 5_000 }))).deliveries).to.have.length(1);
    });

    it('rejects a database whose indexes differ from those required', async () => {
      const { db } = database(randomUUID());
      await db.collection('queue.listeners').createIndex({ nextDue: -1 }, { name: 'due' });
      expect(await rejection(openMongoDeliveryQueue({ db, patient: db }))).to.include({ code: 'store_unusable' });
    });
  });
});
