import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { permitRenewal, workerGates } from '../../../src/deliveries/worker/gates.js';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import { openMongoDeliveryQueue } from '../../../src/queue/mongodb/mongodb-delivery-queue.js';
import { type MongoDatabase, openMongoDb } from '../../../src/stores/mongodb/mongodb-database.js';
import { batchOf, leaseRequest, queuedListener } from '../../support/deliveries/delivery-batches.js';
import { type ReplicaSetMember, startReplicaSetMember } from '../../support/mongodb/faults/replica-set-member.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { rejection } from '../../support/rejection.js';

onMongoDb('the delivery queue: an instance that is cut off together with an old primary', ({ server, database }) => {
  describe('the delivery queue: an instance that is cut off together with an old primary', () => {
    const listener = queuedListener();
    let member: ReplicaSetMember;
    let theirDatabase: MongoDatabase;
    /** The queue of an instance on the majority's side. */
    let queue: DeliveryQueue;
    let theirs: DeliveryQueue;
    let cutOff: () => Promise<void>;

    beforeEach(async () => {
      const ours = database(randomUUID());
      const left = database(randomUUID());
      member = await startReplicaSetMember(server.url);
      theirDatabase = openMongoDb({ url: member.url, database: ours.db.databaseName });
      queue = await openMongoDeliveryQueue(ours);
      theirs = await openMongoDeliveryQueue(theirDatabase);
      cutOff = () => member.cutOff({ of: ours.db, into: left.db });
      await queue.enqueue(batchOf([listener]), 900);
    });
    afterEach(async () => {
      await theirDatabase.close();
      await member.close();
    });

    it('gets no permit for a gate that another instance has closed since', async () => {
      const renew = permitRenewal(theirs, workerGates());
      expect(await renew(listener.listenerId)).to.be.a('number');
      await cutOff();
      await queue.withdraw({ listenerId: listener.listenerId });
      expect(await rejection(renew(listener.listenerId))).to.be.instanceOf(StoreUnavailable);
    });

    it('gets only a permit from before the gate closed, if it is cut off while it reads the gate', async () => {
      let closingSince = Number.NEGATIVE_INFINITY;
      const isLook = (command: { find?: string }) => command.find === 'queue.listeners';
      member.beforeNext(isLook, async () => {
        await cutOff();
        closingSince = performance.now();
        await queue.withdraw({ listenerId: listener.listenerId });
      });
      const permit = await permitRenewal(theirs, workerGates())(listener.listenerId);
      expect(permit).to.be.a('number').and.to.be.lessThan(closingSince);
    });

    it('leases nothing', async () => {
      await cutOff();
      await queue.withdraw({ listenerId: listener.listenerId });
      expect(await rejection(theirs.lease(leaseRequest()))).to.be.instanceOf(StoreUnavailable);
    });
  });
});
