import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Db } from 'mongodb';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import { openMongoDeliveryQueue } from '../../../src/queue/mongodb/mongodb-delivery-queue.js';
import { forgottenReader, positionOf } from '../../../src/queue/reader-positions.js';
import { daysOf } from '../../support/deliveries/days-of.js';
import {
  batchOf,
  changedListener,
  emptyBatch,
  leaseRequest,
  queuedListener,
  succeeded,
} from '../../support/deliveries/delivery-batches.js';
import { type Break, failing } from '../../support/mongodb/faults/failing-db.js';
import { laterServer } from '../../support/mongodb/later-server.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { rejection } from '../../support/rejection.js';
import { until } from '../../support/until.js';

type Story = {
  prepare: (queue: DeliveryQueue) => Promise<void>;
  step: (queue: DeliveryQueue) => Promise<unknown>;
  /** Calls of another caller after the interruption, before the step is repeated. */
  meanwhile?: (queue: DeliveryQueue) => Promise<void>;
  check: (queue: DeliveryQueue, db: Db) => Promise<void>;
};

onMongoDb('the delivery queue: interrupted steps', ({ database }) => {
  describe('the delivery queue: interrupted steps', () => {
    /**
     * Runs the step over a connection that breaks at its `number`th write, then repeats it. Returns whether that write
     * was reached.
     */
    async function interrupt(
      { prepare, step, meanwhile, check }: Story,
      number: number,
      broken: Break,
    ): Promise<boolean> {
      const { db } = database(randomUUID());
      const uninterrupted = await openMongoDeliveryQueue({ db, patient: db });
      await prepare(uninterrupted);
      const dying = await openMongoDeliveryQueue(
        failing(db, (write) => (write.number === number ? broken : undefined)),
      );
      const result = await step(dying).catch((error: unknown) => error);
      await meanwhile?.(uninterrupted);
      await step(uninterrupted);
      await check(uninterrupted, db);
      return result instanceof Error;
    }

    function converges(sentence: string, story: Story): void {
      for (const broken of ['before', 'after'] as const) {
        it(`${sentence}, when interrupted ${broken} any of its writes`, async () => {
          let steps = 0;
          while (await interrupt(story, steps + 1, broken)) steps += 1;
          expect(steps).to.be.within(2, 20);
        });
      }
    }

    const listener = queuedListener();
    const paused = { ...listener, paused: true, position: 2n };
    const nothingDue = async (queue: DeliveryQueue) =>
      expect((await queue.lease(leaseRequest())).deliveries).to.deep.equal([]);

    converges('a pause holds waiting deliveries, and none is leased after the listener is marked as paused', {
      prepare: async (queue) => void (await queue.enqueue(batchOf([listener], 3), 900)),
      step: (queue) => queue.enqueue({ ...emptyBatch, listeners: [paused] }, 950),
      check: async (queue) => {
        await nothingDue(queue);
        expect((await queue.deliveries({ orgId: 'acme', states: ['held'] })).deliveries.length).to.equal(3);
      },
    });

    it('a pause that is overtaken by a resume holds no delivery of later flow events', async () => {
      const { db } = database(randomUUID());
      const queue = await openMongoDeliveryQueue({ db, patient: db });
      await queue.enqueue(batchOf([listener], 2, 'before'), 900); // at the positions 0 and 1
      const later = batchOf([{ ...listener, position: 3n }], 1, 'after');
      const messages = later.messages.map((each) => ({ ...each, position: 4n }));
      const slow = await openMongoDeliveryQueue(
        failing(db, async ({ collection, method }) => {
          if (collection === 'queue.deliveries' && method === 'bulkWrite')
            await queue.enqueue({ ...later, messages }, 960);
          return undefined;
        }),
      );
      await slow.enqueue({ ...emptyBatch, listeners: [paused] }, 950);
      await slow.close(); // writes its statistics
      expect(await queue.counts(1_000)).to.include({ held: 2, waiting: 1 });
      const { deliveries } = await queue.lease(leaseRequest());
      expect(deliveries.map(({ eventId }) => eventId)).to.deep.equal(['after-0']);
    });

    converges('deliveries recorded and added while a listener is paused become held', {
      prepare: async (queue) => void (await queue.enqueue(batchOf([listener], 3, 'before'), 900)),
      step: (queue) => queue.enqueue(batchOf([listener], 2, 'after'), 950),
      meanwhile: async (queue) => void (await queue.enqueue({ ...emptyBatch, listeners: [paused] }, 960)),
      check: async (queue) => {
        await nothingDue(queue);
        expect((await queue.deliveries({ orgId: 'acme', states: ['held'] })).deliveries.length).to.equal(5);
      },
    });

    it('deliveries whose interrupted insert arrives after the listener was paused become held with the repeated batch', async () => {
      const { db } = database(randomUUID());
      const queue = await openMongoDeliveryQueue({ db, patient: db });
      await queue.enqueue(batchOf([listener], 1, 'before'), 900);
      let arrive = (): void => undefined;
      const arrival = new Promise<void>((resolve) => {
        arrive = resolve;
      });
      let sent = false;
      const isSent = () => sent;
      const dying = await openMongoDeliveryQueue(
        failing(db, async ({ collection, method }) => {
          if (collection !== 'queue.deliveries' || method !== 'insertMany') return sent ? 'before' : undefined;
          sent = true;
          await arrival;
          return undefined;
        }),
      );
      const batch = batchOf([listener], 2, 'after');
      const failure = rejection(dying.enqueue(batch, 950));
      await until(isSent, 'the insert to be sent');
      await queue.enqueue({ ...emptyBatch, listeners: [paused] }, 960);
      arrive();
      expect(await failure).to.be.an('error');
      await until(async () => (await queue.counts(1_000)).waiting === 2, 'the deliveries to arrive');
      await queue.enqueue(batch, 970);
      expect((await queue.deliveries({ orgId: 'acme', states: ['held'] })).deliveries.length).to.equal(3);
    });

    converges('a resume that releases held deliveries leaves none held', {
      prepare: async (queue) => void (await queue.enqueue(batchOf([paused], 3, 'event'), 900)),
      step: (queue) =>
        queue.enqueue(
          {
            ...emptyBatch,
            listeners: [{ ...listener, position: 3n }],
            released: [{ listenerId: listener.listenerId, before: 3n }],
          },
          950,
        ),
      check: async (queue) => {
        expect((await queue.deliveries({ orgId: 'acme', states: ['held'] })).deliveries.length).to.equal(0);
        expect((await queue.lease(leaseRequest())).deliveries).to.have.length(3);
      },
    });

    converges('a replay that is cancelled has nothing left, also of what is enqueued at the same time', {
      prepare: async (queue) => {
        const batch = batchOf([listener], 3, 'event');
        const deliveries = batch.deliveries.map((each) => ({ ...each, replay: 'r' }));
        await queue.enqueue({ ...batch, deliveries }, 900);
      },
      step: (queue) => queue.withdraw({ replay: 'r' }),
      check: async (queue) => {
        await nothingDue(queue);
        expect(
          (await queue.deliveries({ orgId: 'acme', replay: 'r', states: ['cancelled'] })).deliveries.length,
        ).to.equal(3);
      },
    });

    const succeedAll = async (queue: DeliveryQueue) => {
      const { deliveries } = await queue.lease(leaseRequest());
      await queue.record(deliveries.map(succeeded), 1_000);
    };

    converges('a redelivery makes the requested deliveries due', {
      prepare: async (queue) => {
        await queue.enqueue(batchOf([listener], 3, 'event'), 900);
        await succeedAll(queue);
      },
      step: (queue) => queue.redeliver({ orgId: 'acme' }, 2_000),
      check: async (queue) => {
        const { deliveries } = await queue.lease(leaseRequest({ now: 2_000 }));
        expect(deliveries.map(({ attempt }) => attempt)).to.deep.equal([2, 2, 2]);
      },
    });

    it('makes held deliveries of an ordered listener due in order, despite concurrent leases', async () => {
      const ordered = changedListener(listener, { ordered: true });
      const resumed = { ...ordered, position: 99n };
      const ways: ((queue: DeliveryQueue) => Promise<unknown>)[] = [
        (queue) => queue.redeliver({ orgId: 'acme', states: ['held'] }, 950),
        (queue) => queue.enqueue({ ...emptyBatch, released: [{ listenerId: listener.listenerId, before: 99n }] }, 950),
      ];
      for (const makeDue of ways) {
        const { db } = database(randomUUID());
        const queue = await openMongoDeliveryQueue({ db, patient: db });
        await queue.enqueue(batchOf([{ ...ordered, paused: true, position: 50n }], 25, 'event'), 900);
        await queue.enqueue({ ...emptyBatch, listeners: [resumed] }, 900);
        const got: string[] = [];
        const deliver = async () => {
          const { deliveries } = await queue.lease(leaseRequest());
          got.push(...deliveries.map(({ eventId }) => eventId));
          await queue.record(deliveries.map(succeeded), 1_000);
          return deliveries.length;
        };
        const watched = await openMongoDeliveryQueue(failing(db, async () => void (await deliver())));
        await makeDue(watched);
        // A lease may find nothing: the statistics of `watched` are written, thus something is delivered, at any time.
        await until(async () => (await deliver()) === 0 && got.length >= 25, 'all to be delivered');
        expect(got).to.deep.equal(Array.from({ length: 25 }, (_, n) => `event-${n}`));
      }
    });

    it('completes an interrupted redelivery without a second request', async () => {
      const { db } = database(randomUUID());
      const queue = await openMongoDeliveryQueue({ db, patient: db });
      await queue.enqueue(batchOf([listener], 3, 'event'), 900);
      await succeedAll(queue);
      const dying = await openMongoDeliveryQueue(
        failing(db, ({ collection, method }) =>
          collection === 'queue.listeners' && method === 'bulkWrite' ? 'before' : undefined,
        ),
      );
      expect(await dying.redeliver({ orgId: 'acme' }, 2_000).catch((error: unknown) => error)).to.be.an('error');
      const later = await openMongoDeliveryQueue(laterServer(db, 1_000));
      expect((await later.lease(leaseRequest({ now: 2_000 }))).deliveries).to.have.length(3);
    });

    const purged = { before: 5_000, limit: 100 };
    const bodies = (db: Db) => db.collection('queue.messages').countDocuments({ body: { $ne: null } });

    converges('a purge drops the bodies of the deliveries that it deletes', {
      prepare: async (queue) => {
        await queue.enqueue(batchOf([listener, queuedListener()], 3, 'event'), 900);
        await succeedAll(queue);
      },
      step: (queue) => queue.forget({ of: 'deliveries', ...purged }),
      check: async (queue, db) => {
        expect((await queue.deliveries({ orgId: 'acme' })).deliveries).to.deep.equal([]);
        expect(await bodies(db)).to.equal(0);
        expect(await db.collection('queue.messages').countDocuments({ leaving: { $exists: true } })).to.equal(0);
        expect((await queue.events({ orgId: 'acme', eventId: 'event-1' }))[0]).to.include({ position: 1n });
      },
    });

    const halfHour = 1_800_000;
    converges('half hours become part of their days, each once', {
      prepare: async (queue) => {
        for (const number of [1, 2, 50]) {
          await queue.enqueue(batchOf([listener], 1, `event-${number}`), number * halfHour);
          const { deliveries } = await queue.lease(leaseRequest({ now: number * halfHour }));
          await queue.record(deliveries.map(succeeded), number * halfHour);
        }
        await queue.counts(0); // writes the statistics
      },
      step: (queue) => queue.forget({ of: 'halfHours', before: 51 * halfHour, limit: 100 }),
      check: async (queue, db) => {
        expect(await db.collection('queue.halfHours').countDocuments({})).to.equal(0);
        const days = await daysOf(queue, { orgId: 'acme', from: '1970-01-01', to: '1970-01-02' });
        expect(days.map(({ day, succeeded, durationMs }) => [day, succeeded, durationMs])).to.deep.equal([
          ['1970-01-01', 2, 10],
          ['1970-01-02', 1, 5],
        ]);
      },
    });

    it('keeps a body whose delivery is enqueued during the purge, at whichever of its writes', async () => {
      const batch = batchOf([listener], 2, 'event');
      const again = batch.deliveries.map((each) => ({ ...each, id: `${each.id}/again`, replay: 'r' }));
      let writes = 0;
      for (let number = 1; number <= writes + 1; number += 1) {
        const { db } = database(randomUUID());
        const queue = await openMongoDeliveryQueue({ db, patient: db });
        await queue.enqueue(batch, 900);
        await succeedAll(queue);
        let seen = 0;
        const purging = await openMongoDeliveryQueue(
          failing(db, async ({ collection }) => {
            if (collection !== 'queue.tally') seen += 1;
            if (seen === number) await queue.enqueue({ ...batch, deliveries: again }, 1_000);
            return undefined;
          }),
        );
        await purging.forget({ of: 'deliveries', ...purged });
        writes = Math.max(writes, seen);
        if (seen < number) break;
        const { deliveries } = await queue.lease(leaseRequest());
        expect(deliveries.map(({ body }) => body)).to.have.members(batch.messages.map(({ body }) => body));
      }
      expect(writes).to.be.within(3, 10);
    });

    it('purges the same deliveries with several instances at once as with one', async () => {
      const { db } = database(randomUUID());
      const queues = await Promise.all([1, 2, 3].map(() => openMongoDeliveryQueue({ db, patient: db })));
      await queues[0]?.enqueue(batchOf([queuedListener(), queuedListener(), queuedListener()], 20), 900);
      await succeedAll(queues[0] as DeliveryQueue);
      const forgotten = await Promise.all(
        queues.map((queue) => queue.forget({ of: 'deliveries', before: 5_000, limit: 25 })),
      );
      let sum = forgotten.reduce((total, { forgotten: count }) => total + count, 0);
      for (let more = 1; more > 0; sum += more)
        more = (await queues[0]?.forget({ of: 'deliveries', before: 5_000, limit: 25 }))?.forgotten ?? 0;
      expect(sum).to.equal(60);
      expect(await bodies(db)).to.equal(0);
      await Promise.all(queues.slice(1).map((queue) => queue.close())); // they write their statistics
      expect(await queues[0]?.counts(1_000)).to.include({ succeeded: 0 });
    });

    const later = Date.now() + 86_400_000;
    const forget = (queue: DeliveryQueue) => queue.forget({ of: 'flowEvents', before: later, now: later, limit: 10 });
    const old = batchOf([listener], 2, 'old');
    const replayed = {
      ...old,
      messages: old.messages.slice(0, 1),
      deliveries: old.deliveries.slice(0, 1).map((each) => ({ ...each, id: `${each.id}/replay`, replay: 'replay-1' })),
    };
    const deliveredAndPurged = async (queue: DeliveryQueue) => {
      await queue.enqueue(old, 900);
      await queue.record((await queue.lease(leaseRequest())).deliveries.map(succeeded), 1_000);
      while ((await queue.forget({ of: 'deliveries', before: later, limit: 10 })).forgotten > 0);
    };

    converges('old flow events are forgotten, except one that a replay has taken up meanwhile', {
      prepare: deliveredAndPurged,
      step: forget,
      meanwhile: async (queue) => void (await queue.enqueue(replayed, 2_000)),
      check: async (queue, db) => {
        const { deliveries } = await queue.lease(leaseRequest({ now: 3_000 }));
        expect(deliveries.map(({ body }) => body)).to.deep.equal([old.messages[0]?.body]);
        expect((await queue.events({ orgId: 'acme', eventId: 'old-0' }))[0]).to.include({ eventId: 'old-0' });
        expect((await queue.events({ orgId: 'acme', eventId: 'old-1' }))[0]).to.equal(undefined);
        expect(await positionOf(queue, forgottenReader)).to.equal(1n);
        expect(await db.collection('queue.messages').countDocuments({ forgetting: { $exists: true } })).to.equal(0);
      },
    });

    it('a replay that is enqueued while its event is forgotten has its body', async () => {
      for (let round = 0; round < 30; round += 1) {
        const { db } = database(randomUUID());
        const queue = await openMongoDeliveryQueue({ db, patient: db });
        await deliveredAndPurged(queue);
        await Promise.all([forget(queue), queue.enqueue(replayed, 2_000), forget(queue)]);
        const { deliveries } = await queue.lease(leaseRequest({ now: 3_000 }));
        expect(deliveries.map(({ body }) => body)).to.deep.equal([old.messages[0]?.body]);
        await queue.close();
      }
    });
  });
});
