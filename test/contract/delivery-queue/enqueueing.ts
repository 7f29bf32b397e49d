import { expect } from 'chai';
import type { LeasedDelivery } from '../../../src/queue/leasing.js';
import { positionOf } from '../../../src/queue/reader-positions.js';
import {
  batchOf,
  changedListener,
  emptyBatch,
  enqueueAndLease,
  failed,
  leaseRequest,
  queuedListener,
  succeeded,
} from '../../support/deliveries/delivery-batches.js';
import type { QueueContext } from './context.js';

export function enqueueingContract({ queue, leaseOne, reopen }: QueueContext): void {
  describe('enqueueing', () => {
    it('leases enqueued deliveries, with all that a post needs', async () => {
      const listener = queuedListener({ secretVersion: 3 });
      const batch = batchOf([listener]);
      expect(await queue().enqueue(batch, 900)).to.deep.equal({ added: 1 });

      const { position, paused, ...where } = listener;
      expect(await leaseOne()).to.deep.equal({
        ...batch.deliveries[0],
        ...where,
        eventType: 'flow.completed',
        body: batch.messages[0]?.body,
        attempt: 1,
        asRead: '0.0',
        enqueuedAt: 900,
        recordedAt: 800,
      });
    });

    it('leases each attempt with the transformation that the listener has by then', async () => {
      const listener = queuedListener({ transform: 'data.a', position: 1n });
      await queue().enqueue(batchOf([listener]), 900);
      const first = await leaseOne();
      expect(first.subscription.transform).to.equal('data.a');
      await queue().record([failed(first, 2_000)], 1_000);

      await queue().enqueue(
        { ...emptyBatch, listeners: [changedListener(listener, { transform: 'data.b', position: 2n })] },
        1_100,
      );
      await reopen();
      const second = await leaseOne(2_000);
      expect(second.subscription.transform).to.equal('data.b');
      await queue().record([failed(second, 3_000)], 2_000);

      await queue().enqueue(
        { ...emptyBatch, listeners: [changedListener(listener, { transform: null, position: 3n })] },
        2_100,
      );
      expect((await leaseOne(3_000)).subscription.transform).to.equal(null);
    });

    it('tells when the event of a delivery was recorded, also of a retry and once it is opened again', async () => {
      await queue().enqueue(batchOf([queuedListener()], 2), 900);
      const first = await leaseOne();
      expect(first.recordedAt).to.equal(800);
      await queue().record([failed(first, 5_000)], 1_000);
      await reopen();

      const { deliveries } = await queue().lease(leaseRequest({ now: 5_000 }));
      expect(deliveries.map(({ attempt, recordedAt }) => [attempt, recordedAt])).to.have.deep.members([
        [1, 801],
        [2, 800],
      ]);
    });

    it('has no recording time if the event has none', async () => {
      const { messages, ...rest } = batchOf([queuedListener()]);
      await queue().enqueue({ ...rest, messages: messages.map((each) => ({ ...each, recordedAt: undefined })) }, 900);
      const delivery = await leaseOne();
      expect(delivery.recordedAt).to.equal(undefined);
      await queue().record([failed(delivery, 5_000)], 1_000);
      await reopen();
      expect((await leaseOne(5_000)).recordedAt).to.equal(undefined);
    });

    it('passes the trace of a flow event on to every attempt, also of a retry and once it is opened again', async () => {
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
      const listener = queuedListener();
      const traced = (prefix: string) => {
        const { messages, ...rest } = batchOf([listener], 1, prefix);
        return { ...rest, messages: messages.map((each) => ({ ...each, traceparent })) };
      };
      await queue().enqueue(traced('one'), 900);
      await queue().enqueue(traced('another'), 901);
      await queue().enqueue(batchOf([listener], 1, 'untraced'), 902);
      const first = await queue().lease(leaseRequest());
      const seen = ({ eventId, attempt, traceparent: trace }: LeasedDelivery) => [eventId, attempt, trace];
      expect(first.deliveries.map(seen)).to.have.deep.members([
        ['one-0', 1, traceparent],
        ['another-0', 1, traceparent],
        ['untraced-0', 1, undefined],
      ]);
      await queue().record(
        first.deliveries.map((delivery) => failed(delivery, 5_000, { byListener: false })),
        1_000,
      );
      await reopen();
      const { deliveries } = await queue().lease(leaseRequest({ now: 5_000 }));
      expect(deliveries.map(seen)).to.have.deep.members([
        ['one-0', 2, traceparent],
        ['another-0', 2, traceparent],
        ['untraced-0', 2, undefined],
      ]);
    });

    it('knows the trace of a flow event again when a replay enqueues it after its body was purged', async () => {
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
      const { messages, ...rest } = batchOf([queuedListener()]);
      const batch = { ...rest, messages: messages.map((each) => ({ ...each, traceparent })) };
      await queue().enqueue(batch, 900);
      await queue().record([succeeded(await leaseOne())], 1_000);
      await queue().forget({ of: 'deliveries', before: 2_000, limit: 10 });
      const replayed = batch.deliveries.map((each) => ({ ...each, id: `${each.id}/again`, replay: 'r1' }));
      await queue().enqueue({ ...batch, deliveries: replayed }, 2_000);
      expect(await leaseOne(2_000)).to.include({ replay: 'r1', traceparent });
    });

    it('hands out each delivery once, with all that a post needs', async () => {
      const listener = queuedListener();
      await queue().enqueue({ ...emptyBatch, listeners: [listener] }, 800);
      const batch = batchOf([listener, queuedListener({ ordered: true })], 3);
      const { added, lease } = await enqueueAndLease(queue(), batch, 900, leaseRequest({ limit: 4 }));
      const later = await queue().lease(leaseRequest());
      const leased = [...(lease?.deliveries ?? []), ...later.deliveries];
      expect(added).to.equal(6);
      const ofListener = leased.filter(({ listenerId }) => listenerId === listener.listenerId);
      expect(ofListener.map(({ eventId }) => eventId)).to.have.members(batch.messages.map(({ eventId }) => eventId));
      expect(leased.length - ofListener.length, 'of the ordered listener').to.equal(1);
      expect(ofListener.map(({ body }) => body)).to.have.members(batch.messages.map(({ body }) => body));
      expect((await queue().record(leased.map(succeeded), 1_000)).counted).to.equal(4);
    });

    it('adds nothing when the same batch is repeated, in any state of its deliveries', async () => {
      const batch = batchOf([queuedListener()], 2);
      await queue().enqueue(batch, 900);
      await queue().record([succeeded(await leaseOne())], 1_000);

      expect(await queue().enqueue(batch, 1_100)).to.deep.equal({ added: 0 });
      expect(await queue().counts(1_100)).to.include({ waiting: 1, succeeded: 1 });
    });

    it('keeps the deliveries, the set-aside events and the checkpoint of one call', async () => {
      const aside = { position: 7n, stream: 'flow-x', revision: 0n, type: 'odd', reason: 'no orgId' };
      const position = 2n ** 53n + 1n;
      await queue().enqueue(
        { ...batchOf([queuedListener()]), setAside: [aside], checkpoint: { reader: 'r', position } },
        900,
      );
      await reopen();

      expect(await positionOf(queue(), 'r')).to.equal(position);
      expect(await positionOf(queue(), 'another')).to.equal(undefined);
      expect(await queue().counts(900)).to.include({ waiting: 1, setAside: 1 });
    });

    it('has the checkpoint of deliveries in memory, for readers that accept one which a crash sets back', async () => {
      const listener = queuedListener();
      const checkpoint = (position: bigint) => ({
        reader: 'r',
        position,
        ...(position > 6n && { follows: true as const }),
      });
      await queue().enqueue({ ...batchOf([listener]), checkpoint: checkpoint(6n) }, 900);
      await queue().record([succeeded(await leaseOne())], 1_000); // a listener that the queue knows
      await queue().enqueue({ ...batchOf([listener]), checkpoint: checkpoint(7n) }, 1_000);

      expect(await queue().positions(['r', 'another'], { unwritten: true })).to.deep.equal(new Map([['r', 7n]]));
      expect(await positionOf(queue(), 'r')).to.equal(7n);
      expect(await queue().counts(1_000)).to.include({ waiting: 1, succeeded: 1 });
    });

    it('takes no checkpoint that follows another for a beginning', async () => {
      const checkpoint = { reader: 'r', position: 7n, follows: true } as const;
      const failure = await queue()
        .enqueue({ ...batchOf([queuedListener()]), checkpoint }, 900)
        .catch((error) => error);
      expect(failure).to.have.property('code', 'checkpoint_lost');
      expect(await positionOf(queue(), 'r')).to.equal(undefined);
      expect(await queue().counts(900)).to.include({ waiting: 0 });

      await queue().enqueue({ ...emptyBatch, checkpoint: { reader: 'r', position: 6n } }, 900);
      await queue().enqueue({ ...emptyBatch, checkpoint }, 900);
      expect(await positionOf(queue(), 'r')).to.equal(7n);
    });

    it('keeps a beginning before the first event', async () => {
      const beginning = { reader: 'beginning', position: -1n, term: 1n };
      await queue().enqueue({ ...emptyBatch, checkpoint: beginning }, 900);
      expect(await positionOf(queue(), 'beginning')).to.equal(-1n);
    });

    it('keeps the checkpoints of several readers with the deliveries and waiting events of one call', async () => {
      const checkpoint = ['a', 'b'].map((reader, at) => ({ reader, position: 5n, term: BigInt(at) }));
      await queue().enqueue({ ...emptyBatch, checkpoint }, 900);
      const waiting = [{ orgId: 'acme', position: 8n, stream: 'flow-x', revision: 0n }];
      const next = checkpoint.map((each) => ({ ...each, position: 9n, follows: true as const, waiting }));
      await queue().enqueue({ ...batchOf([queuedListener()]), checkpoint: next }, 900);
      await reopen();

      expect(await Promise.all(['a', 'b', 'c'].map((reader) => positionOf(queue(), reader)))).to.eql([
        9n,
        9n,
        undefined,
      ]);
      expect((await queue().waiting(['b'])).map(({ orgId }) => orgId)).to.deep.equal(['acme']);
      expect(await queue().counts(900)).to.include({ waiting: 1 });
      const lost = next.map((each) => ({ ...each, reader: each.reader === 'a' ? 'c' : 'b', position: 11n }));
      const failure = await queue()
        .enqueue({ ...emptyBatch, checkpoint: lost }, 900)
        .catch((error) => error);
      expect(failure).to.have.property('code', 'checkpoint_lost');
      expect(await positionOf(queue(), 'c')).to.equal(undefined);
    });

    it('takes none of a batch that cannot be taken as a whole', async () => {
      const batch = batchOf([queuedListener()]);
      const broken = { ...batch, listeners: [], checkpoint: { reader: 'r', position: 1n } };
      const failure = await queue()
        .enqueue(broken, 900)
        .catch((error: unknown) => error);

      expect(failure).to.be.an('error');
      expect(await positionOf(queue(), 'r')).to.equal(undefined);
      expect(await queue().counts(900)).to.include({ waiting: 0 });
    });

    it('lets a call that cannot be done harm none of those beside it', async () => {
      const good = batchOf([queuedListener()]);
      const [, bad] = await Promise.allSettled([
        queue().enqueue(good, 900),
        queue().enqueue({ ...batchOf([queuedListener()]), listeners: [] }, 900),
      ]);
      expect(bad.status).to.equal('rejected');
      expect((await leaseOne()).id).to.equal(good.deliveries[0]?.id);
    });

    it('takes one event to many listeners in parts', async () => {
      const listeners = Array.from({ length: 20 }, () => queuedListener());
      const whole = batchOf(listeners);
      await queue().enqueue(
        { ...whole, listeners: listeners.slice(0, 10), deliveries: whole.deliveries.slice(0, 10) },
        900,
      );
      await queue().enqueue({ ...whole, listeners: listeners.slice(10), deliveries: whole.deliveries.slice(10) }, 900);
      const { deliveries } = await queue().lease(leaseRequest());
      expect(new Set(deliveries.map(({ listenerId }) => listenerId)).size).to.equal(20);
    });

    it('sends to where the latest listener event says', async () => {
      const { listenerId } = queuedListener();
      const at = (position: bigint, secretVersion: number) => queuedListener({ listenerId, position, secretVersion });
      await queue().enqueue(batchOf([at(5n, 2)]), 900);
      await queue().enqueue(batchOf([at(3n, 1)]), 900);
      expect((await leaseOne()).secret.version).to.equal(2);
      await queue().enqueue({ ...emptyBatch, listeners: [at(9n, 3)] }, 900);
      expect((await leaseOne()).secret.version).to.equal(3);
    });
  });
}
