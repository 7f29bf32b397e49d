import { expect } from 'chai';
import type { SetAside, SetAsideChange } from '../../../src/queue/delivery.js';
import { emptyBatch } from '../../support/deliveries/delivery-batches.js';
import type { QueueContext } from './context.js';

export function setAsideContract({ queue, reopen }: QueueContext): void {
  describe('events that were set aside', () => {
    const aside = (position: bigint, fields: Partial<SetAside> = {}): SetAside => ({
      position,
      stream: 'flow-x',
      revision: position,
      type: 'odd',
      reason: 'no orgId',
      ...fields,
    });
    const late = 2n ** 53n + 1n;
    const change = (...setAsideChanges: readonly SetAsideChange[]) =>
      queue().enqueue({ ...emptyBatch, setAsideChanges }, 900);
    const keep = (...events: readonly SetAside[]) => queue().enqueue({ ...emptyBatch, setAside: events }, 900);

    it('are listed as they are, in the order of their positions, page by page', async () => {
      await keep(aside(late), aside(7n, { stream: 'listener-y', type: 'ListenerSubscribed' }), aside(12n));
      await reopen();

      const listed = await queue().setAside();
      expect(listed).to.deep.equal([
        aside(7n, { stream: 'listener-y', type: 'ListenerSubscribed' }),
        aside(12n),
        aside(late),
      ]);
      expect(await queue().setAside({ limit: 1 })).to.deep.equal(listed.slice(0, 1));
      expect(await queue().setAside({ after: 7n, limit: 1 })).to.deep.equal(listed.slice(1, 2));
      expect(await queue().setAside({ after: late })).to.deep.equal([]);
    });

    it('are found by stream and revision', async () => {
      await keep(aside(7n), aside(8n), aside(9n, { stream: 'flow-y', revision: 8n }));
      const event = { stream: 'flow-x', revision: 8n };
      expect(await queue().setAside({ event })).to.deep.equal([aside(8n)]);
      expect(await queue().setAside({ event: { ...event, revision: 9n } })).to.deep.equal([]);
    });

    it('take the newest reason, and do not come back by it once they are removed', async () => {
      await keep(aside(7n), aside(late));
      await change({ position: late, reason: 'still no orgId' });
      expect((await queue().setAside()).map(({ reason }) => reason)).to.deep.equal(['no orgId', 'still no orgId']);

      await change({ position: 7n });
      await change({ position: 7n });
      await change({ position: 7n, reason: 'too late' });
      expect(await queue().setAside()).to.deep.equal([aside(late, { reason: 'still no orgId' })]);
      expect(await queue().counts(900)).to.include({ setAside: 1 });

      await change({ position: late }, { position: 7n });
      expect(await queue().setAside()).to.deep.equal([]);
    });
  });
}
