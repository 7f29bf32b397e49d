import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import { openMongoDeliveryQueue } from '../../../src/queue/mongodb/mongodb-delivery-queue.js';
import { type MongoDatabase, openMongoDb } from '../../../src/stores/mongodb/mongodb-database.js';
import { batchOf, emptyBatch, leaseRequest, queuedListener } from '../../support/deliveries/delivery-batches.js';
import { type ReplicaSetMember, startReplicaSetMember } from '../../support/mongodb/faults/replica-set-member.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { rejection } from '../../support/rejection.js';

onMongoDb('the delivery queue: a primary that steps down', ({ server, database }) => {
  describe('the delivery queue: a primary that steps down', () => {
    let member: ReplicaSetMember;
    let ours: MongoDatabase;
    let queue: DeliveryQueue;
    /** The same queue over a connection whose primary never steps down. */
    let undisturbed: DeliveryQueue;

    beforeEach(async () => {
      const place = database(randomUUID());
      undisturbed = await openMongoDeliveryQueue(place);
      member = await startReplicaSetMember(server.url);
      ours = openMongoDb({ url: member.url, database: place.db.databaseName });
      queue = await openMongoDeliveryQueue(ours);
    });
    afterEach(async () => {
      await ours.close();
      await member.close();
    });

    /** Repeats the work; the primary steps down at the first command, then at the second, up to the last. */
    async function atEachCommand(work: () => Promise<void>): Promise<void> {
      let steppedDown = true;
      for (let number = 1; steppedDown; number += 1) {
        let seen = 0;
        steppedDown = false;
        const isNext = ({ $db }: { $db?: string }) => $db === ours.db.databaseName && ++seen === number;
        member.beforeNext(isNext, () => {
          steppedDown = true;
          member.stepDown(50);
        });
        await work();
        if (!steppedDown) expect(number).to.be.within(4, 40);
      }
    }

    it('closes a gate, and cancels waiting deliveries, at whichever command the primary steps down', async () => {
      await atEachCommand(async () => {
        const listener = queuedListener();
        await undisturbed.enqueue(batchOf([listener], 3), 900);
        await queue.withdraw({ listenerId: listener.listenerId });
      });
      expect(await queue.counts(1_000)).to.include({ waiting: 0 });
      expect((await queue.lease(leaseRequest())).deliveries).to.deep.equal([]);
    });

    it('enqueues a batch, and writes the due bounds of its listeners, at whichever command the primary steps down', async () => {
      const listeners = [queuedListener(), queuedListener()];
      let enqueued = 0;
      await atEachCommand(async () => {
        const ended = queuedListener();
        await queue.enqueue({ ...batchOf([...listeners, ended], 2), ended: [ended.listenerId] }, 900);
        enqueued += 4;
      });
      expect(await queue.counts(1_000)).to.include({ waiting: enqueued });
      const { deliveries } = await queue.lease(leaseRequest({ limit: 1_000, perListener: 1_000 }));
      expect(deliveries).to.have.length(enqueued);
    });

    it('closes a gate when an unplanned election takes the maximum time that MongoDB documents', async () => {
      const listener = queuedListener();
      await queue.enqueue({ ...emptyBatch, listeners: [listener] }, 900);
      member.stepDown(12_000);
      await queue.withdraw({ listenerId: listener.listenerId });
      expect(await queue.closedGates([listener.listenerId])).to.deep.equal(new Set([listener.listenerId]));
    });

    it('waits for no election where the queue is closed', async () => {
      member.stepDown(60_000);
      const closing = rejection(queue.withdraw({ listenerId: randomUUID() }));
      await queue.close();
      expect(await closing).to.be.instanceOf(StoreUnavailable);
    });
  });
});
