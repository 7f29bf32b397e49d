import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { DeliveryQueue, LeasedDelivery, SetAside } from '../../src/deliveries/delivery-queue.js';
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
import { countOf, leasingContract } from './delivery-queue/leasing.js';

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
        const { position, paused, ...where } = hook;
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

      it('takes no checkpoint that follows another for a beginning', async () => {
        const checkpoint = { reader: 'r', position: 7n, follows: true } as const;
        const failure = await queue.enqueue({ ...batchOf([target()]), checkpoint }, 900).catch((error) => error);
        expect(failure).to.have.property('code', 'checkpoint_lost');
        expect(await queue.checkpoint('r')).to.equal(undefined);
        expect(await queue.counts(900)).to.include({ waiting: 0 });

        await queue.enqueue({ ...emptyBatch, checkpoint: { reader: 'r', position: 6n } }, 900);
        await queue.enqueue({ ...emptyBatch, checkpoint }, 900);
        expect(await queue.checkpoint('r')).to.equal(7n);
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

    leasingContract({ queue: () => queue, leaseOne });

    describe('outcomes', () => {
      it('are written down with the state that follows from them', async () => {
        const hook = target();
        await queue.enqueue(batchOf([hook], 3), 900);
        const { deliveries } = await queue.lease(leaseRequest());
        const [one, two, three] = deliveries as [LeasedDelivery, LeasedDelivery, LeasedDelivery];
        expect(await queue.record([succeeded(one), failed(two, 6_000), exhausted(three)], 1_010)).to.include({
          counted: 3,
        });
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
        expect(await queue.closedGates([ending.listenerId, staying.listenerId])).to.deep.equal(
          new Set([ending.listenerId]),
        );
      });

      it('count as closed where the queue knows nothing of them: nobody has seen them open', async () => {
        expect(await queue.closedGates(['unknown'])).to.deep.equal(new Set(['unknown']));
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

    describe('events that were set aside', () => {
      const aside = (position: bigint, fields: Partial<SetAside> = {}): SetAside => ({
        ...{ position, stream: 'flow-x', revision: position, type: 'odd', reason: 'no orgId' },
        ...fields,
      });
      const late = 2n ** 53n + 1n;
      const keep = (...events: readonly SetAside[]) => queue.enqueue({ ...emptyBatch, setAside: events }, 900);

      it('are listed as they are, in the order of their positions, page by page', async () => {
        await keep(aside(late), aside(7n, { stream: 'listener-y', type: 'ListenerSubscribed' }), aside(12n));
        await reopen();

        const listed = await queue.listSetAside();
        expect(listed).to.deep.equal([
          aside(7n, { stream: 'listener-y', type: 'ListenerSubscribed' }),
          aside(12n),
          aside(late),
        ]);
        expect(await queue.listSetAside({ limit: 1 })).to.deep.equal(listed.slice(0, 1));
        expect(await queue.listSetAside({ after: 7n, limit: 1 })).to.deep.equal(listed.slice(1, 2));
        expect(await queue.listSetAside({ after: late })).to.deep.equal([]);
      });

      it('are found by stream and revision', async () => {
        await keep(aside(7n), aside(8n), aside(9n, { stream: 'flow-y', revision: 8n }));
        const event = { stream: 'flow-x', revision: 8n };
        expect(await queue.listSetAside({ event })).to.deep.equal([aside(8n)]);
        expect(await queue.listSetAside({ event: { ...event, revision: 9n } })).to.deep.equal([]);
      });

      it('take the newest reason, and do not come back by it once they are removed', async () => {
        await keep(aside(7n), aside(late));
        await queue.explainSetAside(late, 'still no orgId');
        expect((await queue.listSetAside()).map(({ reason }) => reason)).to.deep.equal(['no orgId', 'still no orgId']);

        await queue.removeSetAside(7n);
        await queue.removeSetAside(7n);
        await queue.explainSetAside(7n, 'too late');
        expect(await queue.listSetAside()).to.deep.equal([aside(late, { reason: 'still no orgId' })]);
        expect(await queue.counts(900)).to.include({ setAside: 1 });
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
