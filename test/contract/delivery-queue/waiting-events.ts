import { expect } from 'chai';
import type { WaitingEvent } from '../../../src/queue/delivery.js';
import type { FanOutCheckpoint } from '../../../src/queue/fan-out-batch.js';
import { positionOf } from '../../../src/queue/reader-positions.js';
import { batchOf, emptyBatch, leaseRequest, queuedListener } from '../../support/deliveries/delivery-batches.js';
import { rejection } from '../../support/rejection.js';
import type { QueueContext } from './context.js';

const reader = 'fan-out';

export function waitingEventsContract({ queue, reopen }: QueueContext): void {
  describe('events that wait behind a checkpoint', () => {
    const late = 2n ** 53n + 1n;
    const waiting = (orgId: string, position: bigint): WaitingEvent => ({
      orgId,
      position,
      stream: `flow-${orgId}`,
      revision: position + 1n,
    });
    const keep = (position: bigint, fields: Partial<FanOutCheckpoint> = {}) =>
      queue().enqueue({ ...emptyBatch, checkpoint: { reader, position, ...fields } }, 900);
    const first = async (orgId: string) => (await queue().waiting([reader], orgId))[0];
    const organisations = async (...readers: string[]) =>
      (await queue().waiting(readers)).map(({ orgId }) => orgId).sort();

    it('are kept with the checkpoint, and found by organisation, the first first', async () => {
      expect(await organisations(reader)).to.deep.equal([]);
      await keep(0n);
      await keep(20n, { follows: true, waiting: [waiting('acme', late), waiting('acme', 12n), waiting('globex', 7n)] });
      await reopen();
      expect(await organisations(reader)).to.deep.equal(['acme', 'globex']);
      expect(await first('acme')).to.deep.equal(waiting('acme', 12n));
      expect(await first('globex')).to.deep.equal(waiting('globex', 7n));
      expect(await first('initech')).to.equal(undefined);
      expect(await organisations('another')).to.deep.equal([]);
      await keep(30n, { reader: 'another', waiting: [waiting('globex', 7n), waiting('initech', 8n)] });
      const ofBoth = await organisations(reader, 'another', 'lost');
      expect(ofBoth).to.deep.equal(['acme', 'globex', 'initech']);
      expect(await organisations()).to.deep.equal([]);
      expect(await queue().positions([reader, 'lost', 'another'])).to.deep.equal(
        new Map([
          [reader, 20n],
          ['another', 30n],
        ]),
      );
      expect((await queue().waiting(['another'], 'acme'))[0]).to.equal(undefined);
      expect(await positionOf(queue(), reader)).to.equal(20n);
      const firstOfAll = await queue().waiting([reader, 'another']);
      expect(firstOfAll.find(({ orgId }) => orgId === 'acme')).to.deep.equal(waiting('acme', 12n));
    });

    it('wait no longer once they have been handed over, with their deliveries, also where both are repeated', async () => {
      const listener = queuedListener();
      await keep(0n);
      for (let time = 0; time < 2; time += 1) {
        await keep(20n, { follows: true, waiting: [waiting('acme', 0n), waiting('acme', 12n)] });
        const handedOver = waiting('acme', 0n);
        const checkpoint = { reader, position: 20n, follows: true as const, handedOver };
        await queue().enqueue({ ...batchOf([listener], 1, 'event'), checkpoint }, 900);
        expect(await first('acme')).to.deep.equal(waiting('acme', 12n));
      }
      await reopen();
      expect(await first('acme')).to.deep.equal(waiting('acme', 12n));
      expect((await queue().lease(leaseRequest())).deliveries).to.have.lengthOf(1);
      await keep(20n, { follows: true, handedOver: waiting('acme', 12n) });
      expect(await organisations(reader)).to.deep.equal([]);
    });

    it('wait on where the batch that hands them over is refused', async () => {
      await keep(0n, { reader: 'another', waiting: [waiting('acme', 7n)] });
      const lost = { reader: 'lost', position: 20n, follows: true as const, waiting: [waiting('acme', 8n)] };
      expect(await rejection(keep(20n, lost))).to.have.property('code', 'checkpoint_lost');
      expect(await organisations('lost')).to.deep.equal([]);
      expect((await queue().waiting(['another'], 'acme'))[0]).to.deep.equal(waiting('acme', 7n));
    });

    it('are forgotten with their organisation', async () => {
      await keep(20n, { waiting: [waiting('acme', 7n), waiting('globex', 8n)] });
      await queue().forget({ of: 'organisation', orgId: 'acme', limit: 10 });
      expect(await organisations(reader)).to.deep.equal(['globex']);
    });
  });
}
