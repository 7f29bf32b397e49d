import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { DeliveryQueue, LeasedDelivery } from '../../src/deliveries/delivery-queue.js';
import {
  batchOf,
  emptyBatch,
  exhausted,
  failed,
  leaseRequest,
  released,
  succeeded,
  target,
} from '../support/delivery-batches.js';

/** `open` gives an empty queue at its first call for a `place`, and what is there at later ones. */
export function deliveryQueueContract(name: string, open: (place: string) => Promise<DeliveryQueue> | DeliveryQueue) {
  describe(`delivery queue on ${name}`, () => {
    let place: string;
    let queue: DeliveryQueue;

    beforeEach(async () => {
      place = randomUUID();
      queue = await open(place);
    });
    afterEach(() => queue.close());

    async function reopen(): Promise<void> {
      await queue.close();
      queue = await open(place);
    }

    async function leaseOne(now = 1_000): Promise<LeasedDelivery> {
      const { deliveries } = await queue.lease(leaseRequest({ now, limit: 1 }));
      const [delivery] = deliveries;
      if (!delivery) throw new Error('nothing was due');
      return delivery;
    }

    describe('enqueueing', () => {
      it('leases what was enqueued, with all that a post needs', async () => {
        const hook = target({ secretVersion: 3 });
        const batch = batchOf([hook]);
        expect(await queue.enqueue(batch, 900)).to.deep.equal({ added: 1 });

        const { lease, ...delivery } = await leaseOne();
        const { position, ...where } = hook;
        expect(lease).to.be.a('string');
        expect(delivery).to.deep.equal({
          ...batch.deliveries[0],
          ...where,
          eventType: 'flow.completed',
          body: batch.messages[0]?.body,
          attempt: 1,
          enqueuedAt: 900,
        });
      });

      it('adds nothing when the same batch comes again, whatever has become of its deliveries', async () => {
        const batch = batchOf([target()], 2);
        await queue.enqueue(batch, 900);
        await queue.record([succeeded(await leaseOne())], 1_000);

        expect(await queue.enqueue(batch, 1_100)).to.deep.equal({ added: 0 });
        expect(await queue.counts(1_100)).to.include({ waiting: 1, succeeded: 1 });
      });

      it('keeps the deliveries, the set-aside events and the checkpoint of one call', async () => {
        const aside = { position: 7n, stream: 'flow-x', revision: 0n, type: 'odd', reason: 'no orgId' };
        const position = 2n ** 53n + 1n;
        await queue.enqueue({ ...batchOf([target()]), setAside: [aside], checkpoint: { reader: 'r', position } }, 900);
        await reopen();

        expect(await queue.checkpoint('r')).to.equal(position);
        expect(await queue.checkpoint('another')).to.equal(undefined);
        expect(await queue.counts(900)).to.include({ waiting: 1, setAside: 1 });
      });

      it('takes none of a batch that cannot be taken as a whole', async () => {
        const batch = batchOf([target()]);
        const broken = { ...batch, targets: [], checkpoint: { reader: 'r', position: 1n } };
        const failure = await queue.enqueue(broken, 900).catch((error: unknown) => error);

        expect(failure).to.be.an('error');
        expect(await queue.checkpoint('r')).to.equal(undefined);
        expect(await queue.counts(900)).to.include({ waiting: 0 });
      });

      it('lets a call that cannot be done harm none of those beside it', async () => {
        const good = batchOf([target()]);
        const [, bad] = await Promise.allSettled([
          queue.enqueue(good, 900),
          queue.enqueue({ ...batchOf([target()]), targets: [] }, 900),
        ]);
        expect(bad.status).to.equal('rejected');
        expect((await leaseOne()).id).to.equal(good.deliveries[0]?.id);
      });

      it('takes one event to many hooks in parts', async () => {
        const hooks = Array.from({ length: 20 }, () => target());
        const whole = batchOf(hooks);
        await queue.enqueue({ ...whole, targets: hooks.slice(0, 10), deliveries: whole.deliveries.slice(0, 10) }, 900);
        await queue.enqueue({ ...whole, targets: hooks.slice(10), deliveries: whole.deliveries.slice(10) }, 900);
        const { deliveries } = await queue.lease(leaseRequest());
        expect(new Set(deliveries.map(({ listenerId }) => listenerId)).size).to.equal(20);
      });

      it('sends to where the latest listener event says', async () => {
        const { listenerId } = target();
        const at = (position: bigint, secretVersion: number) => target({ listenerId, position, secretVersion });
        await queue.enqueue(batchOf([at(5n, 2)]), 900);
        await queue.enqueue(batchOf([at(3n, 1)]), 900);
        expect((await leaseOne()).secretVersion).to.equal(2);
        await queue.enqueue({ ...emptyBatch, targets: [at(9n, 3)] }, 900);
        expect((await leaseOne()).secretVersion).to.equal(3);
      });
    });

    describe('leasing', () => {
      it('leases a delivery to one at a time', async () => {
        await queue.enqueue(batchOf([target()], 50), 900);
        const leases = await Promise.all(Array.from({ length: 10 }, () => queue.lease(leaseRequest({ limit: 8 }))));
        const ids = leases.flatMap(({ deliveries }) => deliveries.map(({ id }) => id));
        expect(ids.length).to.equal(50);
        expect(new Set(ids).size).to.equal(50);
      });

      it('gives at most what was asked for, and says that there is more', async () => {
        await queue.enqueue(batchOf([target()], 5), 900);
        const { deliveries, nextDueAt } = await queue.lease(leaseRequest({ limit: 3, now: 1_000 }));
        expect(deliveries.length).to.equal(3);
        expect(nextDueAt).to.equal(1_000);
      });

      it('gives of each hook the longest due first', async () => {
        const hook = target();
        const later = batchOf([hook]);
        const sooner = batchOf([hook]);
        await queue.enqueue(later, 800);
        await queue.enqueue(sooner, 700);
        expect((await leaseOne()).id).to.equal(sooner.deliveries[0]?.id);
      });

      it('passes over a hook that has as many under way as it may, so that the others get their turn', async () => {
        const slow = target();
        const healthy = target();
        await queue.enqueue(batchOf([slow], 200), 800);
        await queue.enqueue(batchOf([healthy], 3), 900);

        const first = await queue.lease(leaseRequest({ limit: 10, perListener: 5 }));
        expect(countOf(first.deliveries, slow.listenerId)).to.equal(5);
        expect(countOf(first.deliveries, healthy.listenerId)).to.equal(3);
        expect(first.nextDueAt === undefined || first.nextDueAt > 1_000).to.equal(true);

        const underWay = new Map([[slow.listenerId, 4]]);
        const second = await queue.lease(leaseRequest({ limit: 10, perListener: 5, underWay }));
        expect(second.deliveries.length).to.equal(1);
      });

      it('tells when the next delivery is due', async () => {
        expect((await queue.lease(leaseRequest())).nextDueAt).to.equal(undefined);
        await queue.enqueue(batchOf([target()]), 900);
        await queue.record([failed(await leaseOne(), 5_000)], 1_000);
        expect(await queue.lease(leaseRequest({ now: 1_001 }))).to.deep.equal({ deliveries: [], nextDueAt: 5_000 });
        expect((await leaseOne(5_000)).attempt).to.equal(2);
      });

      it('leases again what the holder of a lease did not finish in time, and does not count what it says later', async () => {
        await queue.enqueue(batchOf([target()]), 900);
        const lost = (await queue.lease(leaseRequest({ now: 1_000, leaseMs: 500 }))).deliveries;
        expect((await queue.lease(leaseRequest({ now: 1_400 }))).deliveries).to.deep.equal([]);

        const taken = await leaseOne(1_500);
        expect(await queue.record(lost.map(succeeded), 1_600)).to.equal(0);
        expect(await queue.counts(1_600)).to.include({ waiting: 1, succeeded: 0 });
        expect(await queue.record([succeeded(taken)], 1_700)).to.equal(1);
        expect(await queue.record([succeeded(taken)], 1_800)).to.equal(0);
      });

      it('tells that a lease ends as the next thing to happen', async () => {
        await queue.enqueue(batchOf([target()]), 900);
        await queue.lease(leaseRequest({ now: 1_000, leaseMs: 500 }));
        expect((await queue.lease(leaseRequest({ now: 1_100 }))).nextDueAt).to.equal(1_500);
      });

      it('gives back what was released, as it was', async () => {
        await queue.enqueue(batchOf([target()]), 900);
        await queue.record([released(await leaseOne())], 1_000);
        expect((await leaseOne(1_000)).attempt).to.equal(1);
      });
    });

    describe('outcomes', () => {
      it('are written down with the state that follows from them', async () => {
        const hook = target();
        await queue.enqueue(batchOf([hook], 3), 900);
        const { deliveries } = await queue.lease(leaseRequest());
        const [one, two, three] = deliveries as [LeasedDelivery, LeasedDelivery, LeasedDelivery];
        expect(await queue.record([succeeded(one), failed(two, 6_000), exhausted(three)], 1_010)).to.equal(3);
        expect(await queue.counts(1_010)).to.include({ waiting: 1, succeeded: 1, exhausted: 1, cancelled: 0 });

        const records = await queue.list({ orgId: 'acme' });
        const stateOf = ({ id }: LeasedDelivery) => records.find((record) => record.id === id);
        expect(stateOf(one)).to.include({ state: 'succeeded', attempts: 1, lastStatus: 200, dueAt: undefined });
        expect(stateOf(two)).to.include({ state: 'waiting', attempts: 1, lastError: 'http_status', dueAt: 6_000 });
        expect(stateOf(three)).to.include({ state: 'exhausted', lastStatus: undefined, lastError: 'refused' });
        expect(stateOf(one)).to.include({ listenerId: hook.listenerId, enqueuedAt: 900, lastAttemptAt: 1_000 });
      });

      it('survive closing and opening again: retries come when they are due, and nothing that ended comes back', async () => {
        await queue.enqueue(batchOf([target()], 3), 900);
        const { deliveries } = await queue.lease(leaseRequest());
        const [one, two, three] = deliveries as [LeasedDelivery, LeasedDelivery, LeasedDelivery];
        await queue.record([succeeded(one), failed(two, 6_000), exhausted(three)], 1_000);
        await reopen();

        expect((await queue.lease(leaseRequest({ now: 5_999 }))).deliveries).to.deep.equal([]);
        expect(await leaseOne(6_000)).to.include({ id: two.id, attempt: 2, body: two.body });
      });

      it('tells how long the longest waiting has been due', async () => {
        const hook = target();
        await queue.enqueue(batchOf([hook]), 800);
        await queue.enqueue(batchOf([hook]), 900);
        expect((await queue.counts(1_000)).oldestDueAt).to.equal(800);
        await queue.record([failed(await leaseOne(), 9_000)], 1_000);
        expect((await queue.counts(1_000)).oldestDueAt).to.equal(900);
        await queue.record([succeeded(await leaseOne())], 1_000);
        expect((await queue.counts(1_000)).oldestDueAt).to.equal(undefined);
      });
    });

    describe('gates', () => {
      it('cancel what waits and lease nothing any more', async () => {
        const ending = target();
        const staying = target();
        await queue.enqueue(batchOf([ending, staying], 4), 900);
        expect(await queue.closeGate(ending.listenerId)).to.equal(4);

        const { deliveries } = await queue.lease(leaseRequest());
        expect(countOf(deliveries, ending.listenerId)).to.equal(0);
        expect(countOf(deliveries, staying.listenerId)).to.equal(4);
        expect(await queue.counts(1_000)).to.include({ waiting: 4, cancelled: 4 });
        expect(await queue.closedGates([ending.listenerId, staying.listenerId, 'unknown'])).to.deep.equal(
          new Set([ending.listenerId]),
        );
      });

      it('stay closed when closed again, and after opening the queue again', async () => {
        const ending = target();
        await queue.closeGate(ending.listenerId);
        expect(await queue.closeGate(ending.listenerId)).to.equal(0);
        await reopen();

        await queue.enqueue(batchOf([ending], 2), 900);
        expect(await queue.counts(900)).to.include({ waiting: 0, cancelled: 2 });
        expect((await queue.lease(leaseRequest())).deliveries).to.deep.equal([]);
      });

      it('close after the deliveries of the batch that says so, which cancels those too', async () => {
        const ending = target();
        await queue.enqueue({ ...batchOf([ending], 2), ended: [ending.listenerId] }, 900);
        expect(await queue.counts(900)).to.include({ waiting: 0, cancelled: 2 });
      });

      it('let nothing wait that was under way when they closed, and keep what its attempt brought', async () => {
        const ending = target();
        await queue.enqueue(batchOf([ending], 3), 900);
        const { deliveries } = await queue.lease(leaseRequest());
        const [one, two, three] = deliveries as [LeasedDelivery, LeasedDelivery, LeasedDelivery];
        await queue.closeGate(ending.listenerId);
        await queue.record([succeeded(one), failed(two, 2_000), released(three)], 1_000);

        expect(await queue.counts(9_000)).to.include({ waiting: 0, succeeded: 1, cancelled: 2 });
        expect((await queue.lease(leaseRequest({ now: 100_000 }))).deliveries).to.deep.equal([]);
        const log = await queue.list({ orgId: 'acme', listenerId: ending.listenerId });
        expect(log.find(({ id }) => id === two.id)).to.include({ state: 'cancelled', attempts: 1, lastStatus: 500 });
      });
    });

    describe('the log', () => {
      it('lists the deliveries of one organisation, those of the latest events first', async () => {
        const ours = target();
        await queue.enqueue(batchOf([ours], 3, 'event'), 900);
        await queue.enqueue(batchOf([target({ orgId: 'globex' })]), 900);

        const listed = await queue.list({ orgId: 'acme' });
        expect(listed.map(({ eventId }) => eventId)).to.deep.equal(['event-2', 'event-1', 'event-0']);
        expect(await queue.list({ orgId: 'acme', limit: 1 })).to.have.length(1);
      });

      it('can be asked for one event and for one hook', async () => {
        const [one, two] = [target(), target()];
        await queue.enqueue(batchOf([one, two], 3, 'event'), 900);

        expect(await queue.list({ orgId: 'acme', eventId: 'event-1' })).to.have.length(2);
        expect(await queue.list({ orgId: 'acme', listenerId: one.listenerId })).to.have.length(3);
        const both = await queue.list({ orgId: 'acme', eventId: 'event-1', listenerId: two.listenerId });
        expect(both.map(({ id }) => id)).to.deep.equal([`event-1/${two.listenerId}`]);
        expect(await queue.list({ orgId: 'globex', listenerId: one.listenerId })).to.deep.equal([]);
      });
    });

    it('refuses calls once it is closed, with an error that says so', async () => {
      await queue.close();
      const failure = await queue.counts(1).catch((error: unknown) => error);
      expect(failure).to.have.property('code', 'store_unavailable');
    });
  });
}

const countOf = (deliveries: readonly LeasedDelivery[], listenerId: string): number =>
  deliveries.filter((delivery) => delivery.listenerId === listenerId).length;
