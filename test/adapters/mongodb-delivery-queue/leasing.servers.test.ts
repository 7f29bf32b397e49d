import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type CommandStartedEvent, type Db, MongoClient } from 'mongodb';
import { pino } from 'pino';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import type { LeaseRequest } from '../../../src/queue/leasing.js';
import { openMongoDeliveryQueue } from '../../../src/queue/mongodb/mongodb-delivery-queue.js';
import { batchOf, failed, leaseRequest, queuedListener, succeeded } from '../../support/deliveries/delivery-batches.js';
import { type Break, failing } from '../../support/mongodb/faults/failing-db.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { rejection } from '../../support/rejection.js';

onMongoDb('the delivery queue: leasing', ({ server, database }) => {
  describe('the delivery queue: leasing', () => {
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

    for (const ordered of [false, true]) {
      it(`leases no delivery${ordered ? ' of an ordered listener' : ''} again whose outcome is recorded while due ones are read`, async () => {
        const { db } = database(randomUUID());
        let whileRead = async (): Promise<unknown> => undefined;
        const queue = await openMongoDeliveryQueue({ db: afterReads(db, () => whileRead()), patient: db });
        await queue.enqueue(batchOf([queuedListener({ ordered })], 2), 900);
        const { deliveries } = await queue.lease(leaseRequest({ limit: 1 }));
        whileRead = async () => {
          whileRead = async () => undefined;
          await queue.record(deliveries.map(succeeded), 1_000);
        };
        const leased = [
          ...(await queue.lease(leaseRequest())).deliveries,
          ...(await queue.lease(leaseRequest())).deliveries,
        ];
        expect(leased.map(({ id }) => id)).not.to.include(deliveries[0]?.id);
        await queue.close();
      });
    }

    it('leases deliveries although the due bounds of listeners cannot be written, and logs the failure once', async () => {
      const { db } = database(randomUUID());
      const queue = await openMongoDeliveryQueue({ db, patient: db });
      await queue.enqueue(batchOf([queuedListener(), queuedListener(), queuedListener()]), 900);
      const lines: string[] = [];
      const log = pino({}, { write: (line) => void lines.push(line) });
      const hintless = failing(db, ({ collection, method }) =>
        collection === 'queue.listeners' && method === 'bulkWrite' ? 'before' : undefined,
      );
      const troubled = await openMongoDeliveryQueue({ ...hintless, log });
      for (let number = 1; number <= 3; number += 1) {
        const { deliveries } = await troubled.lease(leaseRequest({ limit: 1 }));
        expect(deliveries).to.have.length(1);
        await troubled.record(deliveries.map(succeeded), 1_000);
      }
      expect(lines).to.have.length(1);
      expect(lines[0]).to.include('ConnectionBroken');
    });

    it('leases again what it had leased when a later read of the same call failed', async () => {
      const { db } = database(randomUUID());
      let reads = Number.NEGATIVE_INFINITY;
      const failsAtFourth = async () => {
        reads += 1;
        if (reads === 4) throw new StoreUnavailable('the connection broke');
      };
      const queue = await openMongoDeliveryQueue({ db: afterReads(db, failsAtFourth), patient: db });
      await queue.enqueue(batchOf([queuedListener(), queuedListener()]), 800);
      await queue.enqueue(batchOf([queuedListener(), queuedListener()]), 900);
      const former = await openMongoDeliveryQueue({ db, patient: db });
      const { deliveries } = await former.lease(leaseRequest({ limit: 2 }));
      await former.record(deliveries.map(succeeded), 1_000); // their listeners are due by their bounds, and have none
      await former.close();
      reads = 0;
      expect(await rejection(queue.lease(leaseRequest({ limit: 2, perListener: 1 })))).to.be.an('error');
      reads = Number.NEGATIVE_INFINITY;
      expect((await queue.lease(leaseRequest())).deliveries).to.have.length(2);
      await queue.close();
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

    /**
     * Records a failure over a connection that breaks at its `number`th write. Returns whether that write was reached.
     */
    async function retryAfterBreak(number: number, broken: Break): Promise<boolean> {
      const { db } = database(randomUUID());
      let writes = Number.NEGATIVE_INFINITY;
      const dying = await openMongoDeliveryQueue(failing(db, () => (++writes === number ? broken : undefined)));
      await dying.enqueue(batchOf([queuedListener()]), 900);
      const { deliveries } = await dying.lease(leaseRequest({ now: 1_000 }));
      writes = 0;
      const retries = deliveries.map((delivery) => failed(delivery, 5_000));
      const result = await dying.record(retries, 1_000).catch((error: unknown) => error);

      const next = await openMongoDeliveryQueue({ db, patient: db });
      expect((await next.lease(leaseRequest({ now: 5_000 }))).deliveries).to.have.length(1);
      expect((await next.lease(leaseRequest({ now: 10_000 }))).deliveries).to.deep.equal([]);
      return result instanceof Error;
    }

    for (const broken of ['before', 'after'] as const) {
      it(`leases a retry again after its recorder died ${broken} any of its writes`, async () => {
        let steps = 0;
        while (await retryAfterBreak(steps + 1, broken)) steps += 1;
        expect(steps).to.be.within(2, 10);
      });
    }

    it('leaves no due bound after all deliveries of a listener have succeeded', async () => {
      const { db, patient } = database(randomUUID());
      const queue = await openMongoDeliveryQueue({ db, patient });
      const listeners = Array.from({ length: 20 }, () => queuedListener());
      await queue.enqueue(batchOf(listeners, 2), 900);
      const { deliveries } = await queue.lease(leaseRequest({ perListener: 1 }));
      const rest = await queue.lease(leaseRequest());
      await queue.record([...deliveries, ...rest.deliveries].map(succeeded), 1_000);
      expect(await queue.lease(leaseRequest())).to.deep.equal({ deliveries: [], nextDueAt: undefined });
      expect(await db.collection('queue.listeners').countDocuments({ nextDue: { $exists: true } })).to.equal(0);
      expect(await queue.lease(leaseRequest({ now: 1e12 }))).to.deep.equal({ deliveries: [], nextDueAt: undefined });
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

/** The database with `afterwards` after each read of waiting deliveries, before its rows are returned. */
function afterReads(db: Db, afterwards: () => Promise<unknown>): Db {
  const hooked = <Target extends object>(target: Target, method: string, wrap: (call: Call) => Call): Target =>
    new Proxy(target, {
      get(_, name) {
        const member = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        const call = member.bind(target) as Call;
        return name === method ? wrap(call) : call;
      },
    });
  const chained = (cursor: object): object =>
    new Proxy(cursor, {
      get(_, name) {
        const call = (Reflect.get(cursor, name) as Call).bind(cursor);
        if (name !== 'toArray') return (...args: unknown[]) => chained(call(...args) as object);
        return async () => {
          const rows = await call();
          await afterwards();
          return rows;
        };
      },
    });
  return hooked(db, 'collection', (collection) => (name, ...options) => {
    const found = collection(name, ...options) as object;
    if (name !== 'queue.deliveries') return found;
    return hooked(found, 'find', (find) => (filter, ...others) => {
      const cursor = find(filter, ...others) as object;
      return (filter as { state?: string }).state === 'waiting' ? chained(cursor) : cursor;
    });
  });
}

type Call = (...args: unknown[]) => unknown;
