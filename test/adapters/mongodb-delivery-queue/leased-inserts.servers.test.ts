import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type Db, MongoClient } from 'mongodb';
import { openMongoDeliveryQueue } from '../../../src/deliveries/mongodb/mongodb-delivery-queue.js';
import type { QueuedListener } from '../../../src/deliveries/queue/delivery.js';
import type { DeliveryQueue } from '../../../src/deliveries/queue/delivery-queue.js';
import type { FanOutBatch, LeasedDelivery } from '../../../src/deliveries/queue/leasing.js';
import {
  batchOf,
  changedListener,
  failed,
  leaseRequest,
  queuedListener,
  succeeded,
} from '../../support/deliveries/delivery-batches.js';
import { failing } from '../../support/mongodb/faults/failing-db.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { nameOf, sentBy } from '../../support/mongodb/sent-commands.js';
import { rejection } from '../../support/rejection.js';
import { until } from '../../support/until.js';

const heartbeat = { beatMs: 100, deadAfterMs: 1_000, trustMs: 600, checkMs: 50 };
const request = leaseRequest({ limit: 10, leaseMs: 3_600_000 });

onMongoDb('the delivery queue: deliveries inserted under a lease', ({ server, database }) => {
  describe('the delivery queue: deliveries inserted under a lease', () => {
    const client = new MongoClient(server.url, { monitorCommands: true, ignoreUndefined: true });
    after(() => client.close());

    let db: Db;
    let queue: DeliveryQueue;
    let listener: QueuedListener;
    const open = (fields: Partial<Parameters<typeof openMongoDeliveryQueue>[0]> = {}) =>
      openMongoDeliveryQueue({ db, patient: db, heartbeat, ...fields });
    beforeEach(async () => {
      db = client.db(database(randomUUID()).db.databaseName);
      queue = await open();
      listener = queuedListener();
      await known(listener);
    });
    afterEach(() => queue.close());

    /** A listener is known once it was in a batch. */
    async function known(...listeners: readonly QueuedListener[]): Promise<void> {
      for (const each of listeners) {
        await queue.enqueue(batchOf([each]), 800);
        await queue.record((await queue.lease(leaseRequest({ now: 800 }))).deliveries.map(succeeded), 800);
      }
    }
    const leasedBy = async (batch: FanOutBatch): Promise<readonly LeasedDelivery[]> =>
      (await queue.enqueue(batch, 900, request)).lease?.deliveries ?? [];

    it('are handed out with all that an attempt needs, and to no other instance', async () => {
      const batch = batchOf([listener], 2);
      const { added, lease } = await queue.enqueue(batch, 900, request);
      expect([added, lease?.isHeld?.()]).to.deep.equal([2, true]);
      const other = await open();
      expect((await other.lease(leaseRequest())).deliveries).to.deep.equal([]);
      await other.close();
      const leased = lease?.deliveries ?? [];
      expect(leased.map(({ body, hookUrl, attempt }) => [body, hookUrl, attempt])).to.have.deep.members(
        batch.messages.map(({ body }) => [body, listener.hookUrl, 1]),
      );
      expect((await queue.record(leased.map(succeeded), 1_000)).counted).to.equal(2);
      expect(await queue.counts(1_000)).to.include({ waiting: 0, succeeded: 3 });
    });

    it('take four commands, and their outcomes one', async () => {
      const batchAt = (position: bigint) => ({
        ...batchOf([listener]),
        checkpoint: { reader: 'fan-out', position, term: 1n, ...(position > 1n && { follows: true as const }) },
      });
      await queue.record((await leasedBy(batchAt(1n))).map(succeeded), 1_000);
      let leased: readonly LeasedDelivery[] = [];
      const enqueueing = await sentBy(client, async () => {
        leased = await leasedBy(batchAt(2n));
      });
      const isOurs = (name: string) => !/queue\.(instances|days|halfHours|tally|activity)$/.test(name);
      expect(enqueueing.map(nameOf).filter(isOurs)).to.deep.equal([
        'insert queue.messages',
        'insert queue.deliveries',
        'find queue.listeners',
        'update queue.checkpoints',
      ]);
      const recording = await sentBy(client, () => queue.record(leased.map(succeeded), 1_000));
      expect(recording.map(nameOf).filter(isOurs)).to.deep.equal(['update queue.deliveries']);
    });

    it('are as many as there is room for; the rest is leased with the next lease', async () => {
      const { lease } = await queue.enqueue(batchOf([listener], 12), 900, request);
      expect([lease?.deliveries.length, lease?.nextDueAt]).to.deep.equal([10, 1_000]);
      expect((await queue.lease(request)).deliveries).to.have.length(2);
    });

    it('are none of a listener that has order, a rate, a failure to wait for, or earlier deliveries', async () => {
      const ordered = queuedListener({ ordered: true });
      const limited = queuedListener({ ratePerSecond: 5 });
      const refusing = queuedListener();
      await known(ordered, limited);
      const [first] = await (async () => {
        await queue.enqueue(batchOf([refusing]), 800);
        return (await queue.lease(leaseRequest({ now: 800 }))).deliveries;
      })();
      await queue.record([failed(first as LeasedDelivery, 900, { notBefore: 60_000 })], 800);
      await queue.enqueue(batchOf([listener]), 850);
      for (const each of [ordered, limited, refusing, listener, queuedListener()])
        expect(await leasedBy(batchOf([each]))).to.deep.equal([]);
    });

    it('are none of a replay, nor of a closed gate or a paused listener', async () => {
      const { deliveries, ...rest } = batchOf([listener]);
      const replayed = deliveries.map((each) => ({ ...each, id: `${each.id}/replay`, replay: 'replay-1' }));
      expect(await leasedBy({ ...rest, deliveries: replayed })).to.deep.equal([]);
      await queue.withdraw({ replay: 'replay-1' });
      await queue.enqueue({ ...batchOf([]), listeners: [{ ...listener, paused: true, position: 2n }] }, 900);
      expect(await leasedBy(batchOf([listener]))).to.deep.equal([]);
      await queue.withdraw({ listenerId: listener.listenerId });
      expect(await leasedBy(batchOf([listener]))).to.deep.equal([]);
    });

    it('are released if their listener has changed since it was read, and follow its new state', async () => {
      const changes = {
        closed: () => queue.withdraw({ listenerId: listener.listenerId }),
        held: () => queue.enqueue({ ...batchOf([]), listeners: [{ ...listener, paused: true, position: 9n }] }, 900),
        waiting: () =>
          queue.enqueue(
            { ...batchOf([]), listeners: [changedListener(listener, { ordered: true, position: 9n })] },
            900,
          ),
      };
      for (const [state, change] of Object.entries(changes)) {
        listener = queuedListener();
        await known(listener);
        let isChanged = false;
        const late = await open(
          failing(db, async ({ collection, method }) => {
            if (isChanged || collection !== 'queue.deliveries' || method !== 'insertMany') return undefined;
            isChanged = true;
            await change();
            return undefined;
          }),
        );
        const { lease } = await late.enqueue(batchOf([listener], 2), 900, request);
        expect(lease?.deliveries, state).to.deep.equal([]);
        const listed = (await queue.deliveries({ orgId: 'acme', listenerId: listener.listenerId })).deliveries;
        const expected = state === 'closed' ? 'cancelled' : state;
        expect(listed.filter((each) => each.state === expected).length, state).to.equal(2);
        if (state === 'waiting') expect((await queue.lease(request)).deliveries, 'in order').to.have.length(1);
        await late.close();
      }
    });

    it('are leased again soon if the instance died right after the insert', async () => {
      const dying = await open(
        failing(db, ({ collection, method }) =>
          collection === 'queue.deliveries' && method === 'insertMany' ? 'after' : undefined,
        ),
      );
      const batch = batchOf([listener], 3);
      expect(await rejection(dying.enqueue(batch, 900, request))).to.be.an('error');
      await dying.close();
      const found: LeasedDelivery[] = [];
      await until(
        async () => found.push(...(await queue.lease(leaseRequest())).deliveries) >= 3,
        'the deliveries of the dead instance',
      );
      expect(found.map(({ id }) => id)).to.have.members(batch.deliveries.map(({ id }) => id));
    });

    it('are leased again at once by an instance that goes on after its enqueue failed', async () => {
      let isBroken = true;
      const going = await open(
        failing(db, ({ collection }) => (isBroken && collection === 'queue.checkpoints' ? 'before' : undefined)),
      );
      const batch = { ...batchOf([listener], 3), checkpoint: { reader: 'fan-out', position: 1n } };
      expect(await rejection(going.enqueue(batch, 900, request))).to.be.an('error');
      isBroken = false;
      expect((await going.enqueue(batch, 950, request)).added).to.equal(0);
      expect((await going.lease(leaseRequest())).deliveries).to.have.length(3);
      await going.close();
    });
  });
});
