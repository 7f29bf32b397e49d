import { expect } from 'chai';
import type { LeasedDelivery } from '../../../src/queue/leasing.js';
import { daysOf } from '../../support/deliveries/days-of.js';
import {
  batchOf,
  changedListener,
  exhausted,
  failed,
  leaseRequest,
  queuedListener,
  succeeded,
} from '../../support/deliveries/delivery-batches.js';
import { hour, type QueueContext, second } from './context.js';

const before = 100 * hour;
const back = before - hour;

export function clockSetBackContract({ queue }: QueueContext): void {
  const listener = queuedListener();
  const lease = async (now: number) => (await queue().lease(leaseRequest({ now }))).deliveries;
  const healthOf = async () => (await queue().listenerStates([listener.listenerId])).get(listener.listenerId)?.health;

  /** Fails ten of eleven deliveries, which is not recorded yet. */
  async function failTen() {
    await queue().enqueue(batchOf([listener], 11), before);
    const { deliveries } = await queue().lease(leaseRequest({ now: before, limit: 10 }));
    return deliveries.map((each) => failed(each, before + 2 * hour));
  }

  describe('when the wall clock is set back by an hour', () => {
    it('leases due and new deliveries at once', async () => {
      await lease(before);
      await queue().enqueue(batchOf([queuedListener()], 2), before);
      expect((await lease(back)).length).to.equal(2);
      await queue().enqueue(batchOf([queuedListener()]), back + second);
      expect((await lease(back + second)).length).to.equal(1);
    });

    it('retries after the remaining wait, and returns the time', async () => {
      await queue().enqueue(batchOf([queuedListener()]), before);
      const [delivery] = await lease(before);
      if (delivery) await queue().record([failed(delivery, before + 300 * second)], before);

      const waiting = await queue().lease(leaseRequest({ now: back }));
      expect(waiting).to.deep.equal({ deliveries: [], nextDueAt: back + 300 * second });
      const [listed] = (await queue().deliveries({ orgId: 'acme' })).deliveries;
      expect(listed?.dueAt).to.equal(back + 300 * second);
      expect(await lease(back + 299 * second)).to.deep.equal([]);
      expect(await lease(back + 300 * second)).to.have.length(1);
    });

    it('keeps the schedule of later failures', async () => {
      await queue().enqueue(batchOf([queuedListener()]), before);
      const leased = await lease(before);
      await queue().record(
        leased.map((delivery) => failed(delivery, back + 5 * second)),
        back,
      );
      expect(await lease(back + 4 * second)).to.deep.equal([]);
      const again = await lease(back + 5 * second);
      expect(again).to.have.length(1);
      await queue().record(again.map(succeeded), back + 5 * second);
      expect(await queue().counts(back + 5 * second)).to.include({ waiting: 0, succeeded: 1 });
    });

    it('records when deliveries were enqueued and ended on that clock', async () => {
      await lease(before);
      await queue().enqueue(batchOf([listener], 3), back);
      const [one, two, three] = (await lease(back)) as [LeasedDelivery, LeasedDelivery, LeasedDelivery];
      expect(one.enqueuedAt).to.equal(back);
      expect(
        (await queue().deliveries({ orgId: 'acme' })).deliveries.map(({ enqueuedAt }) => enqueuedAt),
      ).to.deep.equal([back, back, back]);
      await queue().record([succeeded(one), exhausted(two)], back + second);
      await queue().record([succeeded(three)], back + 3 * second);
      await queue().withdraw({ listenerId: listener.listenerId });
      await queue().enqueue(batchOf([listener]), back + second); // cancelled at once
      expect((await queue().forget({ of: 'deliveries', before: back + 2 * second, limit: 10 })).forgotten).to.equal(3);
      expect((await queue().deliveries({ orgId: 'acme' })).deliveries.map(({ id }) => id)).to.deep.equal([three.id]);
    });

    it('counts attempts on the day of that clock', async () => {
      const noon = Date.parse('2026-01-31T12:00:00Z');
      await queue().enqueue(batchOf([listener]), noon);
      const leased = await lease(noon);
      await queue().record(leased.map(succeeded), noon - 24 * hour);
      const days = await daysOf(queue(), { orgId: 'acme', from: '2026-01-01', to: '2026-02-28' });
      expect(days.map(({ day, succeeded }) => [day, succeeded])).to.deep.equal([['2026-01-30', 1]]);
    });

    it('keeps an open breaker open for its remaining time', async () => {
      await queue().record(await failTen(), before);
      expect(await queue().lease(leaseRequest({ now: back }))).to.deep.equal({
        deliveries: [],
        nextDueAt: back + 30 * second,
      });
      expect(await lease(back + 30 * second)).to.have.length(1);
    });

    it('shows by that clock the health of a listener, and until when its breaker is open', async () => {
      await queue().record(await failTen(), before);
      await lease(back);
      expect(await healthOf()).to.deep.equal({
        recent: [[back, 10, 10]],
        breaker: { openings: 1, openUntil: back + 30 * second, probing: false },
        failing: { since: back, attempts: 10, last: { at: back, status: 500, error: 'http_status' } },
      });
    });

    it('shows by that clock the Retry-After of a listener, and when its rate allows the next delivery', async () => {
      await queue().enqueue(batchOf([changedListener(listener, { ratePerSecond: 1 })]), before);
      const asked = {
        report: { startedAt: before, durationMs: 5, status: 503, error: 'http_status' },
        notBefore: before + 20 * second,
      };
      const leased = await lease(before);
      await queue().record(
        leased.map((delivery) => failed(delivery, before + 300 * second, asked)),
        before,
      );
      await lease(back);
      const health = await healthOf();
      expect(health).to.include({ notBefore: back + 20 * second, inTimeAt: back + second });
      expect(health?.pace).to.include({ since: back, loweredAt: back });
    });

    it('shows by that clock the failures of a listener', async () => {
      const { troubled } = await queue().record(await failTen(), back);
      expect(troubled[0]?.health.breaker).to.include({ openUntil: back + 30 * second });
      expect(troubled[0]?.health.failing).to.include({ since: back, attempts: 10 });
      const [probe] = (await lease(back + 30 * second)) as [LeasedDelivery];
      const again = await queue().record([failed(probe, back + hour)], back + 30 * second);
      expect(again.troubled[0]?.before.failing).to.include({ since: back, attempts: 10 });
    });
  });
}
