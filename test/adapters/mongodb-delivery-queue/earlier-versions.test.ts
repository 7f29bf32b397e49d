import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Db, Document } from 'mongodb';
import { openMongoDeliveryQueue } from '../../../src/deliveries/mongodb/mongodb-delivery-queue.js';
import { emptyBatch, failed, leaseRequest, succeeded, target } from '../../support/deliveries/delivery-batches.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';

onMongoDb('the delivery queue: data of an earlier version', ({ database }) => {
  describe('the delivery queue: data of an earlier version', () => {
    /** Documents and indexes as they were before hooks could be paused or ordered, and before attempts were kept. */
    async function earlierQueue(): Promise<Db> {
      const { db } = database(randomUUID());
      const orgId = 'acme';
      const at = new Date(900);
      const past = Date.now() - 1_000;
      await db.collection<{ _id: string }>('queue.messages').insertMany(
        ['one', 'two', 'three'].map((eventId, index) => ({
          _id: JSON.stringify([orgId, eventId]),
          eventId,
          orgId,
          type: 'flow.completed',
          position: BigInt(index),
          body: `{"id":"${eventId}"}`,
        })),
      );
      await db.collection<Document & { _id: string }>('queue.targets').insertOne({
        _id: 'hook',
        orgId,
        hookUrl: 'https://hooks.example.com/1',
        keyGeneration: 'g1',
        secretVersion: 1,
        position: 0n,
        closed: false,
        wakes: 1,
        nextDue: at,
      });
      const row = (eventId: string, position: bigint, fields: object) => ({
        _id: eventId,
        webhookId: eventId,
        orgId,
        eventId,
        listenerId: 'hook',
        position,
        attempts: 0,
        freeAt: at,
        enqueuedAt: at,
        ...fields,
      });
      const deliveries = db.collection<{ _id: string }>('queue.deliveries');
      await deliveries.insertMany([
        row('one', 0n, { state: 'succeeded', attempts: 1, lastStatus: 200, lastError: null, lastAttemptAt: at }),
        row('two', 1n, {
          state: 'waiting',
          dueAt: at,
          lease: 'died',
          freeAt: new Date(past),
          recheckAt: new Date(past),
        }),
        row('three', 2n, { state: 'waiting', dueAt: at }),
      ]);
      await db.collection<{ _id: string; deliveries: number }>('queue.tally').insertMany([
        { _id: 'waiting', deliveries: 2 },
        { _id: 'succeeded', deliveries: 1 },
        { _id: 'exhausted', deliveries: 0 },
        { _id: 'cancelled', deliveries: 0 },
      ]);
      await deliveries.createIndexes([
        { name: 'waiting', key: { state: 1, listenerId: 1, freeAt: 1 }, partialFilterExpression: { state: 'waiting' } },
        { name: 'of_organisation', key: { orgId: 1, position: -1 } },
        { name: 'of_listener', key: { listenerId: 1, position: -1 } },
      ]);
      return db;
    }

    it('continues with leases, retries, lists and pauses', async () => {
      const db = await earlierQueue();
      const queue = await openMongoDeliveryQueue({ db, patient: db });
      expect(await queue.counts(1_000)).to.deep.include({ waiting: 2, held: 0, succeeded: 1 });
      const { deliveries } = await queue.lease(leaseRequest());
      expect(deliveries.map(({ eventId, ordered }) => [eventId, ordered])).to.have.deep.members([
        ['two', false],
        ['three', false],
      ]);
      expect(deliveries.map(({ recordedAt }) => recordedAt)).to.deep.equal([undefined, undefined]);
      await queue.record(
        deliveries.map((each, index) => (index === 0 ? failed(each, 5_000) : succeeded(each))),
        1_000,
      );
      expect((await queue.list({ orgId: 'acme' })).map(({ state }) => state).sort()).to.deep.equal([
        'succeeded',
        'succeeded',
        'waiting',
      ]);
      expect(await queue.attempts('acme', 'one')).to.deep.equal([]);
      const paused = target({ listenerId: 'hook', paused: true, position: 5n });
      await queue.enqueue({ ...emptyBatch, hooks: [paused] }, 1_000);
      expect(await queue.counts(1_000)).to.include({ waiting: 0, held: 1 });
    });

    it('is not stopped by a delivery that an instance of the earlier version enqueues later, and sends it after a restart', async () => {
      const db = await earlierQueue();
      const queue = await openMongoDeliveryQueue({ db, patient: db });
      const at = new Date(900);
      await db.collection<Document & { _id: string }>('queue.deliveries').insertOne({
        _id: 'late',
        webhookId: 'late',
        orgId: 'acme',
        eventId: 'one',
        listenerId: 'hook',
        position: 0n,
        attempts: 0,
        state: 'waiting',
        dueAt: at,
        freeAt: at,
        enqueuedAt: at,
      });
      const leased = async (of: typeof queue) => (await of.lease(leaseRequest())).deliveries.map(({ id }) => id);
      expect(await leased(queue)).to.have.members(['two', 'three']);
      expect(await leased(await openMongoDeliveryQueue({ db, patient: db }))).to.deep.equal(['late']);
    });

    it('keeps deliveries that had ended as long as those that end now, and drops unused indexes', async () => {
      const db = await earlierQueue();
      const startedAt = Date.now();
      const queue = await openMongoDeliveryQueue({ db, patient: db });
      const names = (await db.collection('queue.deliveries').indexes()).map(({ name }) => name);
      expect(names).to.include('log_of_organisation').and.not.include('of_organisation');
      expect(await queue.purge({ before: startedAt - 60_000, limit: 10 })).to.equal(0);
      expect(await queue.purge({ before: Date.now() + 60_000, limit: 10 })).to.equal(1);
      expect(await db.collection<{ _id: string }>('queue.messages').findOne({ _id: '["acme","one"]' })).to.include({
        body: null,
      });
      await openMongoDeliveryQueue({ db, patient: db });
    });
  });
});
