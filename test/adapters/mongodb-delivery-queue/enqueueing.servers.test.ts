import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { FanOutBatch } from '../../../src/queue/fan-out-batch.js';
import { openMongoDeliveryQueue } from '../../../src/queue/mongodb/mongodb-delivery-queue.js';
import { positionOf } from '../../../src/queue/reader-positions.js';
import { batchOf, leaseRequest, queuedListener } from '../../support/deliveries/delivery-batches.js';
import { type Break, failing, type Write } from '../../support/mongodb/faults/failing-db.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { rejection } from '../../support/rejection.js';

onMongoDb('the delivery queue: enqueueing step by step', (mongoDb) => {
  describe('the delivery queue: enqueueing step by step', () => {
    const database = () => mongoDb.database(randomUUID());

    /** A batch of two listeners, one of which ended, with a checkpoint. */
    function story(): { batch: FanOutBatch; staying: string } {
      const [staying, ending] = [queuedListener(), queuedListener()];
      const aside = { position: 7n, stream: 'flow-x', revision: 0n, type: 'odd', reason: 'no orgId' };
      const checkpoint = { reader: 'fan-out', position: 9n, term: 1n };
      const batch = { ...batchOf([staying, ending], 3), ended: [ending.listenerId], setAside: [aside], checkpoint };
      return { batch, staying: staying.listenerId };
    }

    /**
     * Enqueues over a connection that breaks at its `number`th write from now. Returns whether that write was reached.
     */
    async function enqueueUpTo(number: number, broken: Break): Promise<boolean> {
      const { db } = database();
      const { batch, staying } = story();
      let from: number | undefined;
      const queue = await openMongoDeliveryQueue(
        failing(db, (write: Write) => {
          from ??= write.collection === 'queue.tally' ? undefined : write.number;
          return from !== undefined && write.number === from + number - 1 ? broken : undefined;
        }),
      );
      const result = await queue.enqueue(batch, 900).catch((error: unknown) => error);
      const recovered = await openMongoDeliveryQueue({ db, patient: db });
      const interrupted = result instanceof Error;
      if (interrupted) {
        const checkpoint = await positionOf(recovered, 'fan-out');
        if (checkpoint !== undefined) expect([broken, checkpoint]).to.deep.equal(['after', 9n]);
        await recovered.enqueue(batch, 950);
      }
      const { deliveries } = await recovered.lease(leaseRequest());
      expect(deliveries.map(({ listenerId }) => listenerId)).to.deep.equal([staying, staying, staying]);
      expect(await positionOf(recovered, 'fan-out')).to.equal(9n);
      expect(await recovered.counts(1_000)).to.include({ waiting: 3, setAside: 1 });
      expect((await recovered.deliveries({ orgId: 'acme' })).deliveries).to.have.length(6);
      return interrupted;
    }

    for (const broken of ['before', 'after'] as const) {
      it(`completes a batch that was interrupted ${broken} any of its writes, when it is enqueued again`, async () => {
        let steps = 0;
        while (await enqueueUpTo(steps + 1, broken)) steps += 1;
        expect(steps).to.be.within(6, 20);
      });
    }

    it('moves no checkpoint for a reader whose term is over, and rejects with lease_lost', async () => {
      const queue = await openMongoDeliveryQueue(database());
      const at = (position: bigint, term: bigint) => ({
        ...batchOf([queuedListener()]),
        checkpoint: { reader: 'fan-out', position, term },
      });
      await queue.enqueue(at(5n, 2n), 900);
      await queue.enqueue(at(6n, 3n), 900);
      expect(await rejection(queue.enqueue(at(8n, 2n), 900))).to.include({ code: 'lease_lost' });
      expect(await positionOf(queue, 'fan-out')).to.equal(6n);
      expect(await queue.counts(900)).to.include({ waiting: 2 });
    });

    it('moves no checkpoint of a reader that loses its term while it enqueues', async () => {
      const { db } = database();
      const newer = await openMongoDeliveryQueue({ db, patient: db });
      await newer.enqueue({ ...batchOf([]), checkpoint: { reader: 'fan-out', position: 5n, term: 2n } }, 900);
      const takeover = { ...batchOf([]), checkpoint: { reader: 'fan-out', position: 6n, term: 3n } };
      const older = await openMongoDeliveryQueue(
        failing(db, async ({ collection }) => {
          if (collection === 'queue.messages') await newer.enqueue(takeover, 900);
          return undefined;
        }),
      );
      const batch = { ...batchOf([queuedListener()]), checkpoint: { reader: 'fan-out', position: 9n, term: 2n } };
      expect(await rejection(older.enqueue(batch, 900))).to.include({ code: 'lease_lost' });
      expect(await positionOf(newer, 'fan-out')).to.equal(6n);
    });

    it('moves the checkpoints of other readers where one has lost its term while it enqueues', async () => {
      const { db } = database();
      const newer = await openMongoDeliveryQueue({ db, patient: db });
      const at = (reader: string, position: bigint, term: bigint) => ({
        reader,
        position,
        term,
        follows: true as const,
      });
      for (const reader of ['a', 'b'])
        await newer.enqueue({ ...batchOf([]), checkpoint: { reader, position: 5n, term: 2n } }, 900);
      const older = await openMongoDeliveryQueue(
        failing(db, async ({ collection }) => {
          if (collection === 'queue.messages')
            await newer.enqueue({ ...batchOf([]), checkpoint: at('a', 6n, 3n) }, 900);
          return undefined;
        }),
      );
      const batch = { ...batchOf([queuedListener()]), checkpoint: [at('a', 9n, 2n), at('b', 9n, 2n)] };
      expect(await rejection(older.enqueue(batch, 900))).to.include({ code: 'lease_lost' });
      expect(await positionOf(newer, 'a')).to.equal(6n);
      expect(await positionOf(newer, 'b')).to.equal(9n);
    });

    it('never moves a checkpoint back, and lets a new term begin where the old one ended', async () => {
      const queue = await openMongoDeliveryQueue(database());
      const move = (position: bigint, term?: bigint) =>
        queue.enqueue(
          { ...batchOf([]), checkpoint: { reader: 'fan-out', position, ...(term !== undefined && { term }) } },
          900,
        );
      await move(5n);
      await move(4n);
      expect(await positionOf(queue, 'fan-out')).to.equal(5n);
      await move(5n, 1n);
      await move(3n, 2n);
      expect(await positionOf(queue, 'fan-out')).to.equal(5n);
      expect(await rejection(move(9n, 1n))).to.include({ code: 'lease_lost' });
    });
  });
});
