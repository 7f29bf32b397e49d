import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { type Db, MongoClient } from 'mongodb';
import type { QueuedListener } from '../../../src/queue/delivery.js';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import type { FanOutBatch, ReaderLease } from '../../../src/queue/fan-out-batch.js';
import type { LeasedDelivery } from '../../../src/queue/leasing.js';
import { openMongoDeliveryQueue } from '../../../src/queue/mongodb/mongodb-delivery-queue.js';
import { positionOf } from '../../../src/queue/reader-positions.js';
import { LeaseLost } from '../../../src/stores/leases/leases.js';
import {
  batchOf,
  changedListener,
  emptyBatch,
  enqueueAndLease,
  exhausted,
  failed,
  leaseRequest,
  queuedListener,
  succeeded,
} from '../../support/deliveries/delivery-batches.js';
import { reader } from '../../support/deliveries/first-attempts.js';
import { failing } from '../../support/mongodb/faults/failing-db.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { nameOf, sentBy } from '../../support/mongodb/sent-commands.js';
import { rejection } from '../../support/rejection.js';
import { until } from '../../support/until.js';

const request = leaseRequest({ limit: 10 });
/** Time after which gates are read again. */
const readAgainMs = 150;

onMongoDb('the delivery queue: first attempts', ({ server, database }) => {
  describe('the delivery queue: first attempts from memory', () => {
    const client = new MongoClient(server.url, { monitorCommands: true, ignoreUndefined: true, useBigInt64: true });
    after(() => client.close());

    let db: Db;
    let queue: DeliveryQueue;
    /** Another instance. */
    let other: DeliveryQueue;
    let listener: QueuedListener;
    const open = (fields: Partial<Parameters<typeof openMongoDeliveryQueue>[0]> = {}) =>
      openMongoDeliveryQueue({ db, patient: db, ...fields });
    beforeEach(async () => {
      db = client.db(database(randomUUID()).db.databaseName);
      queue = await open();
      other = await open();
      listener = queuedListener();
      await queue.enqueue(
        { ...emptyBatch, listeners: [listener], checkpoint: { reader, position: 0n, term: 1n } },
        800,
      );
    });
    afterEach(async () => {
      await queue.close();
      await other.close();
    });

    const known = (...listeners: readonly QueuedListener[]) => queue.enqueue({ ...emptyBatch, listeners }, 800);
    const at = (batch: FanOutBatch, position = 1n, lease?: ReaderLease): FanOutBatch => ({
      ...batch,
      checkpoint: { reader, position, term: 1n, follows: true, ...(lease && { lease }) },
    });
    const leasedBy = async (batch: FanOutBatch): Promise<readonly LeasedDelivery[]> =>
      (await enqueueAndLease(queue, at(batch), 900, request)).lease?.deliveries ?? [];
    const rowsOf = async (orgId = 'acme') => (await other.deliveries({ orgId })).deliveries;
    /** Others come by time. */
    const isOurs = (name: string) => !/queue\.(checkpoints|primary|days|halfHours|tally|activity)$/.test(name);

    it('have no row before they end, and then one with their attempt', async () => {
      const leased = await leasedBy(batchOf([listener], 2));
      expect(leased.map(({ hookUrl, attempt }) => [hookUrl, attempt])).to.deep.equal(
        Array(2).fill([listener.hookUrl, 1]),
      );
      expect(await rowsOf()).to.deep.equal([]);
      expect((await queue.record(leased.map(succeeded), 1_000)).counted).to.equal(2);
      expect((await rowsOf()).map(({ state, attempts }) => [state, attempts])).to.deep.equal(
        Array(2).fill(['succeeded', 1]),
      );
      expect(await queue.counts(1_000)).to.include({ waiting: 0, succeeded: 2 });
      expect((await other.lease(leaseRequest())).deliveries).to.deep.equal([]);
    });

    it('take one command, and their outcomes two, beside a proof of the primary every 100 ms', async () => {
      await queue.record(await leasedBy(batchOf([listener])).then((leased) => leased.map(succeeded)), 1_000);
      let leased: readonly LeasedDelivery[] = [];
      const enqueueing = await sentBy(client, async () => {
        leased = await leasedBy(batchOf([listener]));
      });
      expect(enqueueing.map(nameOf).filter(isOurs).toSorted()).to.deep.equal(['find queue.messages']);
      const recording = await sentBy(client, () => queue.record(leased.map(succeeded), 1_000));
      expect(recording.map(nameOf).filter(isOurs)).to.deep.equal(['insert queue.messages', 'insert queue.deliveries']);
    });

    it('are as many as there is capacity for, and the rest with the next lease', async () => {
      const { lease } = await enqueueAndLease(queue, at(batchOf([listener], 12)), 900, request);
      expect([lease?.deliveries.length, lease?.nextDueAt]).to.deep.equal([10, 1_000]);
      expect((await queue.lease(request)).deliveries).to.have.length(2);
    });

    it('are none of a listener that has a rate, a failure to wait for, or earlier deliveries', async () => {
      const limited = queuedListener({ ratePerSecond: 5 });
      const refusing = queuedListener();
      await known(limited, refusing);
      const [first] = await leasedBy(batchOf([refusing]));
      await queue.record([failed(first as LeasedDelivery, 900, { notBefore: 60_000 })], 800);
      await queue.enqueue(batchOf([listener]), 850);
      for (const each of [limited, refusing, listener, queuedListener()]) {
        await queue.enqueue(at(batchOf([each])), 900);
        const rows = (await rowsOf()).filter(({ listenerId }) => listenerId === each.listenerId);
        expect(rows.some(({ state, attempts }) => state === 'waiting' && attempts === 0)).to.equal(true);
      }
    });

    it('are none of an event that was published again at another position', async () => {
      const batch = batchOf([listener]);
      await queue.record((await leasedBy(batch)).map(succeeded), 1_000);
      const again = { ...batch, messages: batch.messages.map((message) => ({ ...message, position: 77n })) };
      const { deliveries } = batchOf([listener]);
      const repeated = deliveries.map((each, index) => ({ ...each, eventId: batch.deliveries[index]?.eventId ?? '' }));
      expect(await leasedBy({ ...again, deliveries: repeated })).to.deep.equal([]);
      expect(await rowsOf()).to.have.length(1);
    });

    it('wait in rows where their listener has changed since they came, and follow its new state', async () => {
      const changes = {
        cancelled: () => other.withdraw({ listenerId: listener.listenerId }),
        held: () => other.enqueue({ ...emptyBatch, listeners: [{ ...listener, paused: true, position: 9n }] }, 900),
        waiting: () =>
          other.enqueue(
            { ...emptyBatch, listeners: [changedListener(listener, { ordered: true, position: 9n })] },
            900,
          ),
      };
      for (const [state, change] of Object.entries(changes)) {
        listener = queuedListener();
        await known(listener);
        await queue.enqueue(at(batchOf([listener], 2)), 900);
        await change();
        await pause(readAgainMs);
        const { deliveries } = await queue.lease(leaseRequest());
        expect(deliveries.length, state).to.equal(state === 'waiting' ? 1 : 0);
        const listed = (await other.deliveries({ orgId: 'acme', listenerId: listener.listenerId })).deliveries;
        expect(
          listed.map((each) => each.state),
          state,
        ).to.deep.equal([state, state]);
      }
    });

    it('that came earlier have their gates read again where a later batch leases them', async () => {
      const later = queuedListener();
      await known(later);
      await queue.enqueue(at(batchOf([listener], 2)), 900);
      await pause(readAgainMs);
      await other.withdraw({ listenerId: listener.listenerId });
      const { lease } = await enqueueAndLease(queue, at(batchOf([later])), 900, request);
      expect(lease?.deliveries.map(({ listenerId }) => listenerId)).to.deep.equal([later.listenerId]);
      const areCancelled = async () => (await rowsOf()).filter(({ state }) => state === 'cancelled').length === 2;
      await until(areCancelled, 'the rows'); // the interval may be writing them
    });

    it('of an ordered listener follow one another at the cost of their outcomes', async () => {
      const ordered = queuedListener({ ordered: true });
      await known(ordered);
      let [delivery] = await leasedBy(batchOf([ordered], 4, 'event'));
      const got: (string | undefined)[] = [];
      const sent = await sentBy(client, async () => {
        for (let number = 1; number < 4; number += 1) {
          got.push(delivery?.eventId);
          await queue.record([succeeded(delivery as LeasedDelivery)], 1_000);
          const next = await queue.lease({ ...request, onlyNextOf: [ordered.listenerId] });
          expect(next.nextDueAt).to.equal(undefined);
          [delivery] = next.deliveries;
        }
      });
      expect(got).to.deep.equal(['event-0', 'event-1', 'event-2']);
      expect(sent.map(nameOf).filter((name) => /find queue/.test(name)).length).to.be.at.most(1);
    });

    it('of an ordered listener wait for a row of it that another instance has made due', async () => {
      const ordered = queuedListener({ ordered: true });
      await known(ordered);
      const [first] = await leasedBy(batchOf([ordered], 1, 'first'));
      await queue.record([exhausted(first as LeasedDelivery)], 1_000);
      for (const name of ['second', 'third']) {
        expect((await queue.lease(request)).deliveries).to.deep.equal([]); // it has no row that waits
        const [delivery] = await leasedBy(batchOf([ordered], 1, name));
        await queue.record([succeeded(delivery as LeasedDelivery)], 1_000);
      }
      await other.redeliver({ orgId: 'acme' }, 1_000);
      await pause(readAgainMs);
      const leased = await leasedBy(batchOf([ordered], 1, 'fourth'));
      expect(leased.map(({ eventId }) => eventId)).to.deep.equal(['first-0']);
    });

    it('that fail wait in rows for their retry, which the next owner leases too', async () => {
      const [first] = await leasedBy(batchOf([listener]));
      await queue.record([failed(first as LeasedDelivery, 5_000)], 1_000);
      expect((await rowsOf())[0]).to.include({ state: 'waiting', attempts: 1 });
      const [retried] = (await other.lease(leaseRequest({ now: 6_000 }))).deliveries;
      expect(retried).to.include({ id: first?.id, attempt: 2 });
    });

    it('are not written where the database was lost meanwhile', async () => {
      const [first] = await leasedBy(batchOf([listener], 2));
      await queue.enqueue(at(batchOf([listener], 2)), 900);
      await db.dropDatabase();
      await queue.record([failed(first as LeasedDelivery, 1_000)], 900);
      await queue.counts(1_000);
      await other.enqueue({ ...emptyBatch, listeners: [listener] }, 1_000);
      expect(await rowsOf()).to.deep.equal([]);
      expect((await other.lease(leaseRequest({ now: 2_000 }))).deliveries).to.deep.equal([]);
    });

    it('that take long are rows under way, and end once', async () => {
      const leased = await leasedBy(batchOf([listener], 2));
      await until(async () => (await rowsOf()).length === 2, 'the rows');
      expect((await queue.lease(leaseRequest())).deliveries).to.deep.equal([]);
      expect((await queue.record(leased.map(succeeded), 1_000)).counted).to.equal(2);
      expect((await rowsOf()).map(({ state, attempts }) => [state, attempts])).to.deep.equal(
        Array(2).fill(['succeeded', 1]),
      );
    });

    it('keep the checkpoint before them until they have rows', async () => {
      const leased = await leasedBy(batchOf([listener]));
      expect(await positionOf(other, reader)).to.equal(0n);
      await queue.record(leased.map(succeeded), 1_000);
      await until(async () => (await positionOf(other, reader)) === 1n, 'the checkpoint');
    });

    it('are written with the checkpoint behind them when their reader is given to another instance', async () => {
      await queue.enqueue(at(batchOf([listener], 2)), 900);
      expect(await positionOf(queue, reader)).to.equal(1n);
      expect((await other.lease(leaseRequest())).deliveries).to.have.length(2);
    });

    describe('of a reader whose lease is in doubt', () => {
      let isHeld: boolean;
      let ending: AbortController;
      const lease = () => ({ isHeld: () => isHeld, signal: ending.signal, has: () => true });
      beforeEach(() => {
        isHeld = true;
        ending = new AbortController();
      });

      it('are not attempted while another instance may have it, and go on once it is held again', async () => {
        const { lease: leased } = await enqueueAndLease(queue, at(batchOf([listener], 12), 1n, lease()), 900, request);
        isHeld = false;
        expect(leased?.isHeld?.()).to.equal(false);
        expect((await queue.lease(leaseRequest())).deliveries).to.deep.equal([]);
        isHeld = true;
        expect((await queue.lease(leaseRequest())).deliveries).to.have.length(2);
      });

      it('are neither written nor passed by the checkpoint once it is lost', async () => {
        const { lease: leased } = await enqueueAndLease(queue, at(batchOf([listener], 12), 1n, lease()), 900, request);
        isHeld = false;
        ending.abort();
        expect(await positionOf(queue, reader)).to.equal(0n);
        const failures = (leased?.deliveries ?? []).map((each) => failed(each, 5_000));
        expect((await queue.record(failures, 1_000)).counted).to.equal(0);
        expect(await rowsOf()).to.deep.equal([]);
        expect((await enqueueAndLease(other, at(batchOf([listener])), 950, request)).lease?.deliveries).to.have.length(
          1,
        );
      });

      it('are written with their success once it is lost, so that the next instance repeats none of them', async () => {
        const batch = batchOf([listener], 12);
        const { lease: leased } = await enqueueAndLease(queue, at(batch, 1n, lease()), 900, request);
        isHeld = false;
        ending.abort();
        expect(await positionOf(queue, reader)).to.equal(0n);
        expect((await queue.record((leased?.deliveries ?? []).map(succeeded), 1_000)).counted).to.equal(10);
        expect((await rowsOf()).map(({ state }) => state)).to.deep.equal(Array(10).fill('succeeded'));
        expect(await positionOf(queue, reader)).to.equal(0n);
        const next = await enqueueAndLease(other, at(batch), 950, request);
        const attempted = new Set(leased?.deliveries.map(({ id }) => id));
        expect(next.lease.deliveries.filter(({ id }) => attempted.has(id))).to.deep.equal([]);
        expect(next.lease.deliveries).to.have.length(2);
      });

      it('are not attempted twice where this instance gets it again before they end', async () => {
        const batch = batchOf([listener], 12);
        const { lease: leased } = await enqueueAndLease(queue, at(batch, 1n, lease()), 900, request);
        isHeld = false;
        ending.abort();
        expect(await positionOf(queue, reader)).to.equal(0n);
        const again = { isHeld: () => true, signal: new AbortController().signal, has: () => true };
        const { lease: next } = await enqueueAndLease(queue, at(batch, 1n, again), 950, leaseRequest());
        expect(next.deliveries).to.have.length(2);
        const outcomes = [...(leased?.deliveries ?? []), ...next.deliveries].map(succeeded);
        expect((await queue.record(outcomes, 1_000)).counted).to.equal(12);
        expect(await positionOf(queue, reader)).to.equal(1n);
      });

      it('go on under the next lease of this instance, to which they are handed over again', async () => {
        const batch = batchOf([listener], 12);
        await enqueueAndLease(queue, at(batch, 1n, lease()), 900, request);
        isHeld = false;
        ending.abort();
        const next = { isHeld: () => true, signal: new AbortController().signal, has: () => true };
        expect((await queue.enqueue(at(batch, 1n, next), 950)).added).to.equal(0);
        expect((await queue.lease(leaseRequest())).deliveries).to.have.length(2);
        expect(await positionOf(queue, reader)).to.equal(1n);
      });

      it('are written, and passed by the checkpoint, where it is given up', async () => {
        await queue.enqueue(at(batchOf([listener], 2), 1n, lease()), 900);
        ending.abort();
        expect(await positionOf(queue, reader)).to.equal(1n);
        expect((await other.lease(leaseRequest())).deliveries).to.have.length(2);
      });
    });

    it('succeed once where the next instance has written them meanwhile', async () => {
      const batch = batchOf([listener]);
      const leased = await leasedBy(batch);
      await other.enqueue(batch, 950);
      expect((await queue.record(leased.map(succeeded), 1_000)).counted).to.equal(1);
      expect((await rowsOf()).map(({ state, attempts }) => [state, attempts])).to.deep.equal([['succeeded', 1]]);
      expect((await other.lease(leaseRequest())).deliveries).to.deep.equal([]);
    });

    it('of a killed instance come again with the events after its checkpoint', async () => {
      const batch = batchOf([listener], 3);
      await leasedBy(batch); // and dies
      expect((await enqueueAndLease(other, at(batch), 950, request)).lease?.deliveries).to.have.length(3);
    });

    it('are refused to a reader whose later term has begun, once a checkpoint of it could not be kept', async () => {
      await other.enqueue({ ...emptyBatch, checkpoint: { reader, position: 0n, term: 2n } }, 900);
      await until(async () => {
        const refused: unknown = await queue.enqueue(at(batchOf([listener])), 900).catch((error: unknown) => error);
        return refused instanceof LeaseLost;
      }, 'a refusal');
      expect(await positionOf(other, reader)).to.equal(0n);
    });

    it('are leased again at once after a lease that failed', async () => {
      let isBroken = false;
      const going = await open(
        failing(db, ({ collection }) => (isBroken && collection === 'queue.primary' ? 'before' : undefined)),
      );
      await going.enqueue(at(batchOf([listener], 3)), 900);
      isBroken = true;
      await pause(readAgainMs);
      expect(await rejection(going.lease(leaseRequest()))).to.be.an('error');
      isBroken = false;
      expect((await going.lease(leaseRequest())).deliveries).to.have.length(3);
      await going.close();
    });

    it('are leased, also those of other listeners, after one whose gate has closed could not be written', async () => {
      let isBroken = false;
      const going = await open(
        failing(db, ({ collection, method }) =>
          isBroken && collection === 'queue.deliveries' && method === 'insertMany' ? 'before' : undefined,
        ),
      );
      const ended = queuedListener();
      await going.enqueue({ ...emptyBatch, listeners: [ended] }, 800);
      await going.enqueue(at(batchOf([ended, listener])), 900);
      await other.withdraw({ listenerId: ended.listenerId });
      await pause(readAgainMs);
      isBroken = true;
      const attempted = await going.lease(leaseRequest()).catch(() => ({ deliveries: [] }));
      isBroken = false;
      const { deliveries } = await going.lease(leaseRequest());
      const leased = [...attempted.deliveries, ...deliveries].map(({ listenerId }) => listenerId);
      expect(leased).to.deep.equal([listener.listenerId]);
      await going.close();
    });

    it('come back in memory where their outcomes cannot be written, and are recorded once', async () => {
      let isBroken = false;
      const going = await open(
        failing(db, ({ collection, method }) =>
          isBroken && collection === 'queue.deliveries' && method === 'insertMany' ? 'before' : undefined,
        ),
      );
      const leased = (await enqueueAndLease(going, at(batchOf([listener], 3)), 900, request)).lease?.deliveries ?? [];
      isBroken = true;
      expect(await rejection(going.record(leased.map(succeeded), 1_000))).to.be.an('error');
      expect((await going.lease(leaseRequest())).deliveries).to.deep.equal([]);
      isBroken = false;
      expect((await going.record(leased.map(succeeded), 1_000)).counted).to.equal(3);
      expect((await rowsOf()).map(({ state }) => state)).to.deep.equal(Array(3).fill('succeeded'));
      await going.close();
    });
  });
});
