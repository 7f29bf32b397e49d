import { expect } from 'chai';
import { daysOf } from '../../../support/deliveries/days-of.js';
import {
  batchOf,
  exhausted,
  failed,
  leaseRequest,
  queuedListener,
  succeeded,
} from '../../../support/deliveries/delivery-batches.js';
import type { QueueContext } from '../context.js';

const noon = Date.UTC(2026, 0, 31, 12);
const day = 86_400_000;
const halfHour = 1_800_000;

export function statisticsContract({ queue, reopen }: QueueContext): void {
  describe('statistics', () => {
    it('count the attempts of a day to a listener, and how long they took', async () => {
      const listener = queuedListener();
      await queue().enqueue(batchOf([listener, queuedListener({ orgId: 'acme' })], 4), noon);
      const { deliveries } = await queue().lease(leaseRequest({ now: noon }));
      const ours = deliveries.filter(({ listenerId }) => listenerId === listener.listenerId);
      const [one, two, three, four] = ours as [(typeof ours)[0], (typeof ours)[0], (typeof ours)[0], (typeof ours)[0]];
      await queue().record([succeeded(one), failed(two, noon + 2 * day), exhausted(three)], noon);
      await queue().record([succeeded(four)], noon + 1_000);
      await reopen();

      const query = { orgId: 'acme', listenerId: listener.listenerId, from: '2026-01-01', to: '2026-01-31' };
      expect(await daysOf(queue(), query)).to.deep.equal([
        { day: '2026-01-31', listenerId: listener.listenerId, succeeded: 2, failed: 2, exhausted: 1, durationMs: 20 },
      ]);
      expect(await daysOf(queue(), { ...query, orgId: 'globex' })).to.deep.equal([]);
      expect(await daysOf(queue(), { ...query, to: '2026-01-30' })).to.deep.equal([]);
    });

    it('count the attempts of half hours to one listener', async () => {
      const [listener, other] = [queuedListener(), queuedListener()];
      await queue().enqueue(batchOf([listener, other], 4), noon);
      const { deliveries } = await queue().lease(leaseRequest({ now: noon }));
      const ours = deliveries.filter(({ listenerId }) => listenerId === listener.listenerId);
      const [one, two, three, four] = ours as [(typeof ours)[0], (typeof ours)[0], (typeof ours)[0], (typeof ours)[0]];
      await queue().record([...deliveries.filter((each) => !ours.includes(each)).map(succeeded)], noon);
      await queue().record([succeeded(one), failed(two, noon + 2 * day)], noon + 1);
      await queue().record([exhausted(three)], noon + halfHour - 1);
      await queue().record([succeeded(four)], noon + 2 * halfHour);
      await reopen();

      const { listenerId } = listener;
      const first = { at: noon, listenerId, succeeded: 1, failed: 2, exhausted: 1, durationMs: 15 };
      const third = { at: noon + 2 * halfHour, listenerId, succeeded: 1, failed: 0, exhausted: 0, durationMs: 5 };
      const query = { orgId: 'acme', listenerId, from: noon, to: noon + day };
      expect(await queue().statistics({ by: 'half hour', ...query })).to.deep.equal([first, third]);
      expect(await queue().statistics({ by: 'half hour', ...query, to: noon + 2 * halfHour })).to.deep.equal([first]);
      expect(await queue().statistics({ by: 'half hour', ...query, from: noon + 1 })).to.deep.equal([third]);
      expect(await queue().statistics({ by: 'half hour', ...query, to: noon })).to.deep.equal([]);
      expect(await queue().statistics({ by: 'half hour', ...query, orgId: 'globex' })).to.deep.equal([]);
    });

    it('are those of the organisation alone, from the first day that there is to the last', async () => {
      const [ours, theirs] = [queuedListener(), queuedListener({ orgId: 'globex' })];
      for (const [index, listener] of [ours, theirs].entries()) {
        await queue().enqueue(batchOf([listener], 1, `event-of-${index}`), noon);
      }
      const { deliveries } = await queue().lease(leaseRequest({ now: noon }));
      await queue().record(deliveries.map(succeeded), noon);
      for (const { orgId, listenerId } of [ours, theirs]) {
        const told = await daysOf(queue(), { orgId, from: '0001-01-01', to: '9999-12-31' });
        expect(told.map((each) => [each.day, each.listenerId, each.succeeded])).to.deep.equal([
          ['2026-01-31', listenerId, 1],
        ]);
      }
    });

    it('are given by day and listener', async () => {
      const listeners = [queuedListener(), queuedListener()];
      for (const now of [noon, noon + day]) {
        await queue().enqueue(batchOf(listeners), now);
        const { deliveries } = await queue().lease(leaseRequest({ now }));
        await queue().record(deliveries.map(succeeded), now);
      }
      const listed = await daysOf(queue(), { orgId: 'acme', from: '2026-01-31', to: '2026-02-01' });
      const ids = listeners.map(({ listenerId }) => listenerId).sort();
      expect(listed.map(({ day, listenerId }) => [day, listenerId])).to.deep.equal(
        ['2026-01-31', '2026-02-01'].flatMap((each) => ids.map((id) => [each, id])),
      );
    });
  });
}
