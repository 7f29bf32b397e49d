import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import type { LeasedDelivery, Outcome } from '../../../src/queue/leasing.js';
import { openMongoDeliveryQueue } from '../../../src/queue/mongodb/mongodb-delivery-queue.js';
import { positionOf } from '../../../src/queue/reader-positions.js';
import {
  batchOf,
  emptyBatch,
  enqueueAndLease,
  failed,
  leaseRequest,
  queuedListener,
  released,
  succeeded,
} from '../../support/deliveries/delivery-batches.js';
import { reader } from '../../support/deliveries/first-attempts.js';
import { failing } from '../../support/mongodb/faults/failing-db.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { rejection } from '../../support/rejection.js';

onMongoDb('the delivery queue: from owner to owner', ({ database }) => {
  describe('the delivery queue: from owner to owner of a partition', () => {
    let former: DeliveryQueue;
    let next: DeliveryQueue;
    let place: string;
    const open = () => openMongoDeliveryQueue(database(place));
    beforeEach(async () => {
      place = randomUUID();
      [former, next] = await Promise.all([open(), open()]);
    });
    afterEach(() => Promise.all([former.close(), next.close()]));

    async function underWay(count = 1, ordered = false): Promise<readonly LeasedDelivery[]> {
      await former.enqueue(batchOf([queuedListener({ ordered })], count, 'event'), 900);
      return (await former.lease(leaseRequest())).deliveries;
    }
    const leased = async (queue: DeliveryQueue, now: number) => (await queue.lease(leaseRequest({ now }))).deliveries;
    const eventsOf = (deliveries: readonly LeasedDelivery[]) => deliveries.map(({ eventId }) => eventId);
    const earlier = { report: { startedAt: 990, durationMs: 5, status: 200 } };
    const counted = async (queue: DeliveryQueue, outcomes: readonly Outcome[]) =>
      (await queue.record(outcomes, 1_000)).counted;

    it('what a dead owner had under way is due at once, with the same attempt', async () => {
      const lost = await underWay(5);
      const again = await leased(next, 1_000);
      expect(again.map(({ id, attempt }) => [id, attempt])).to.have.deep.members(lost.map(({ id }) => [id, 1]));
      expect(await counted(next, again.map(succeeded))).to.equal(5);
      expect(await leased(next, 2_000)).to.deep.equal([]);
    });

    it('an ordered listener goes on with the delivery that was under way', async () => {
      await underWay(2, true);
      expect(eventsOf(await leased(next, 1_000))).to.deep.equal(['event-0']);
    });

    it('of two attempts, the outcome that is recorded first counts', async () => {
      const [lost] = await underWay();
      const [again] = await leased(next, 1_000);
      expect(await counted(former, [{ ...succeeded(lost as LeasedDelivery), ...earlier }])).to.equal(1);
      expect(await counted(next, [failed(again as LeasedDelivery, 5_000)])).to.equal(0);
      const { deliveries } = await next.deliveries({ orgId: 'acme' });
      expect(deliveries.map(({ state, attempts }) => [state, attempts])).to.deep.equal([['succeeded', 1]]);
    });

    it('an outcome is ignored once the next owner has recorded a retry', async () => {
      const [lost] = await underWay();
      const [again] = await leased(next, 1_000);
      expect(await counted(next, [failed(again as LeasedDelivery, 5_000)])).to.equal(1);
      expect(await counted(former, [{ ...succeeded(lost as LeasedDelivery), ...earlier }])).to.equal(0);
      expect(await leased(next, 5_000)).to.have.length(1);
    });

    it('an outcome whose acknowledgement was lost counts once', async () => {
      const { db } = database(place);
      let isBroken = false;
      const owner = await openMongoDeliveryQueue(
        failing(db, ({ collection, method }) =>
          isBroken && collection === 'queue.deliveries' && method === 'bulkWrite' ? 'after' : undefined,
        ),
      );
      await owner.enqueue(batchOf([queuedListener()]), 900);
      const deliveries = await leased(owner, 1_000);
      isBroken = true;
      expect(await rejection(owner.record(deliveries.map(succeeded), 1_000))).to.be.an('error');
      isBroken = false;
      expect(await counted(owner, deliveries.map(succeeded))).to.equal(1);
      expect(await counted(owner, deliveries.map(succeeded))).to.equal(0);
      await owner.close();
    });

    describe('when it is handed over', () => {
      const all = () => true;

      it('what is under way is due later, and ends with its outcome', async () => {
        const deliveries = await underWay(2);
        await former.handOver(all, 20_000);
        expect(await leased(next, 19_999)).to.deep.equal([]);
        expect(await counted(former, deliveries.map(succeeded))).to.equal(2);
        expect(await leased(next, 20_000)).to.deep.equal([]);
      });

      it('what has no outcome in time is attempted again', async () => {
        await underWay(2, true);
        await former.handOver(all, 20_000);
        expect(await leased(next, 19_999)).to.deep.equal([]);
        expect(eventsOf(await leased(next, 20_000))).to.deep.equal(['event-0']);
      });

      it('a failed attempt is retried at its own time, and a released one at once', async () => {
        const [one, other] = (await underWay(2)) as [LeasedDelivery, LeasedDelivery];
        await former.handOver(all, 20_000);
        expect(await leased(next, 1_000)).to.deep.equal([]);
        await former.record([released(one), failed(other, 5_000)], 1_000);
        expect((await leased(next, 1_000)).map(({ id }) => id)).to.deep.equal([one.id]);
        expect((await leased(next, 5_000)).map(({ id }) => id)).to.deep.equal([other.id]);
      });

      it('first attempts are written before, with the checkpoint behind them', async () => {
        const listener = queuedListener();
        const known = { ...emptyBatch, listeners: [listener] };
        await former.enqueue({ ...known, checkpoint: { reader, position: 0n, term: 1n } }, 800);
        const checkpoint = { reader, position: 1n, term: 1n, follows: true } as const;
        const { lease } = await enqueueAndLease(
          former,
          { ...batchOf([listener], 2), checkpoint },
          900,
          leaseRequest({ limit: 1 }),
        );
        expect(lease?.deliveries).to.have.length(1);
        await former.handOver(all, 20_000);
        expect(await positionOf(next, reader)).to.equal(1n);
        expect(await leased(next, 1_000)).to.have.length(1);
        expect(await counted(former, (lease?.deliveries ?? []).map(succeeded))).to.equal(1);
      });

      it('what a lease finds at the same time is due later, too', async () => {
        await former.enqueue(batchOf([queuedListener()], 2), 900);
        const [{ deliveries }] = await Promise.all([former.lease(leaseRequest()), former.handOver(all, 20_000)]);
        expect(deliveries).to.have.length(2);
        expect(await leased(next, 19_999)).to.deep.equal([]);
      });

      it('the other organisations stay as they are', async () => {
        const deliveries = await underWay(1);
        await former.handOver((orgId) => orgId !== deliveries[0]?.orgId, 20_000);
        expect(await leased(next, 1_000)).to.have.length(1);
      });
    });
  });
});
