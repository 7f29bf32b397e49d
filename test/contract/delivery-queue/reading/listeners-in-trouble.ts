import { expect } from 'chai';
import type { QueuedListener } from '../../../../src/queue/delivery.js';
import { healthy } from '../../../../src/queue/policy/listener-health.js';
import {
  batchOf,
  emptyBatch,
  failed,
  leaseRequest,
  queuedListener,
} from '../../../support/deliveries/delivery-batches.js';
import { hour, minute, type QueueContext, second } from '../context.js';

export function listenersInTroubleContract({ queue, reopen }: QueueContext): void {
  const inTrouble = async (dueBefore: number, limit = 50) => queue().listeners({ dueBefore, limit });
  const idsOf = (listeners: readonly { listenerId: string }[]) => listeners.map(({ listenerId }) => listenerId);

  /** Fails this number of deliveries to the listener; one more waits. */
  async function fail(listener: QueuedListener, attempts: number, now: number): Promise<void> {
    await queue().enqueue(batchOf([listener], attempts + 1), now);
    const { deliveries } = await queue().lease(leaseRequest({ now, limit: attempts }));
    await queue().record(
      deliveries.map((each) => failed(each, now + hour)),
      now,
    );
  }

  const pause = (listener: QueuedListener, now: number) =>
    queue().enqueue({ ...emptyBatch, listeners: [{ ...listener, paused: true, position: 2n }] }, now);

  describe('listeners in trouble', () => {
    it('are those with an open breaker, those that were paused while they failed, and those with overdue deliveries', async () => {
      const [open, failing, overdue] = [queuedListener(), queuedListener(), queuedListener({ orgId: 'globex' })];
      const [pausedByOperator, sound] = [queuedListener(), queuedListener()];
      await fail(failing, 1, minute);
      await pause(failing, minute);
      await fail(open, 10, minute);
      await queue().enqueue(batchOf([pausedByOperator]), 2 * minute);
      await pause(pausedByOperator, 2 * minute);
      await queue().enqueue(batchOf([overdue]), 3 * minute);
      await queue().enqueue(batchOf([sound]), 6 * minute);
      await reopen();

      const found = await inTrouble(5 * minute);
      expect(idsOf(found)).to.deep.equal(idsOf([open, failing, overdue]));
      const [first, second, third] = found;
      expect(first).to.include({ orgId: 'acme', hookUrl: open.hookUrl, paused: false, dueSince: minute });
      expect(first?.health.breaker).to.include({ openings: 1 });
      expect(second).to.include({ paused: true, dueSince: undefined });
      expect(second?.health.failing).to.include({ since: minute, attempts: 1 });
      expect(third).to.include({ orgId: 'globex', paused: false, dueSince: 3 * minute });
    });

    it('come with the longest overdue first, as many as are asked for', async () => {
      const listeners = [queuedListener(), queuedListener(), queuedListener()];
      for (const [index, listener] of listeners.entries())
        await queue().enqueue(batchOf([listener]), (index + 1) * minute);
      await reopen();
      expect(idsOf(await inTrouble(hour, 2))).to.deep.equal(idsOf(listeners.slice(0, 2)));
      expect(idsOf(await inTrouble(2 * minute - 1))).to.deep.equal(idsOf(listeners.slice(0, 1)));
    });

    it('do not include a listener that only waits for its own rate, however long its backlog is', async () => {
      const slow = queuedListener({ ratePerSecond: 0.01 });
      await queue().enqueue(batchOf([slow], 3), minute);
      await queue().lease(leaseRequest({ now: minute, limit: 1 }));
      await queue().lease(leaseRequest({ now: 2 * minute, limit: 1 }));
      await reopen();
      expect(idsOf(await inTrouble(2 * minute))).to.deep.equal([]);
      expect(idsOf(await inTrouble(hour)), 'its turn came, and no worker took it').to.deep.equal(idsOf([slow]));
    });

    it('include a listener that is kept back because it asked for fewer requests', async () => {
      const refusing = queuedListener();
      await queue().enqueue(batchOf([refusing], 2), minute);
      const { deliveries } = await queue().lease(leaseRequest({ now: minute, limit: 1 }));
      const outcomes = deliveries.map((each) => ({ ...failed(each, minute), notBefore: 5 * hour }));
      await queue().record(outcomes, minute);
      await queue().lease(leaseRequest({ now: 2 * minute, limit: 1 }));
      expect(idsOf(await inTrouble(3 * minute))).to.deep.equal(idsOf([refusing]));
    });

    it('name one with an open breaker as paused once it is paused', async () => {
      const [paused, open] = [queuedListener(), queuedListener()];
      await fail(open, 10, minute);
      await fail(paused, 10, 2 * minute);
      await pause(paused, 2 * minute);
      await reopen();
      const found = await inTrouble(hour);
      expect(found.map((each) => [each.listenerId, each.paused])).to.deep.equal([
        [open.listenerId, false],
        [paused.listenerId, true],
      ]);
    });

    it('are those of one organisation, where that is asked for', async () => {
      const [failing, overdue, other] = [queuedListener(), queuedListener(), queuedListener({ orgId: 'globex' })];
      await fail(failing, 10, minute);
      await fail(other, 10, minute);
      await queue().enqueue(batchOf([overdue]), minute);
      const found = await queue().listeners({ dueBefore: hour, limit: 50, orgId: 'acme' });
      expect(idsOf(found)).to.deep.equal(idsOf([failing, overdue]));
    });

    it('come with the numbers of their waiting and held deliveries', async () => {
      const [failing, paused, sound] = [queuedListener(), queuedListener(), queuedListener()];
      await fail(paused, 1, minute);
      await pause(paused, minute);
      await fail(failing, 10, minute);
      await queue().enqueue(batchOf([sound], 3), hour);
      const found = await inTrouble(minute);
      expect(found.map(({ listenerId, waiting, held }) => [listenerId, waiting, held])).to.deep.equal([
        [failing.listenerId, 11, 0],
        [paused.listenerId, 0, 2],
      ]);
    });

    it('are in trouble no more once they are removed', async () => {
      const [failing, overdue] = [queuedListener(), queuedListener()];
      await fail(failing, 10, minute);
      await queue().enqueue(batchOf([overdue]), minute);
      for (const { listenerId } of [failing, overdue]) await queue().withdraw({ listenerId });
      expect(await inTrouble(hour)).to.deep.equal([]);
      await queue().forget({ of: 'organisation', orgId: 'acme', limit: 100 });
      expect(await inTrouble(hour)).to.deep.equal([]);
    });

    it('come with their last failure, whose answer is cut', async () => {
      const failing = queuedListener();
      await queue().enqueue(batchOf([failing], 10), minute);
      const { deliveries } = await queue().lease(leaseRequest({ now: minute, limit: 10 }));
      const report = { startedAt: minute, durationMs: 5, status: 503, error: 'http_status', answer: 'x'.repeat(1_000) };
      const outcomes = deliveries.map((each) => ({ ...failed(each, hour), report }));
      await queue().record(outcomes, 2 * minute);
      await reopen();
      const [found] = await inTrouble(hour);
      const last = { status: 503, error: 'http_status', answer: 'x'.repeat(200), at: 2 * minute };
      expect(found?.health.failing).to.deep.equal({ since: 2 * minute, attempts: 10, last });
    });

    it('are in the callers’ clock, if that is set back', async () => {
      await fail(queuedListener(), 10, 2 * hour);
      await queue().enqueue(batchOf([queuedListener()]), hour); // an hour back
      const found = await inTrouble(hour);
      expect(found.map(({ dueSince, health }) => [dueSince, health.breaker?.openUntil])).to.deep.equal([
        [hour, hour + 30 * second],
        [hour, undefined],
      ]);
    });
  });

  describe('the backlog', () => {
    it('is counted by listener, the most first, of all, an organisation or a listener', async () => {
      const [few, many, paused] = [queuedListener(), queuedListener({ orgId: 'globex' }), queuedListener()];
      await queue().enqueue(batchOf([few]), minute);
      await queue().enqueue(batchOf([many], 3), minute);
      await queue().enqueue(batchOf([paused], 2), minute);
      await pause(paused, minute);
      await queue().enqueue(batchOf([queuedListener()]), minute);
      const [removed] = [queuedListener()];
      await queue().enqueue(batchOf([removed]), minute);
      await queue().withdraw({ listenerId: removed.listenerId });
      await reopen();
      const shown = async (query: { orgId?: string; listenerId?: string; limit?: number }) =>
        (await queue().listeners({ limit: 3, ...query })).map(({ listenerId, waiting, held }) => [
          listenerId,
          waiting,
          held,
        ]);
      const [first, second, third] = await shown({});
      expect([first, second]).to.deep.equal([
        [many.listenerId, 3, 0],
        [paused.listenerId, 0, 2],
      ]);
      expect(third?.slice(1)).to.deep.equal([1, 0]);
      expect(await shown({ orgId: 'globex' })).to.deep.equal([[many.listenerId, 3, 0]]);
      expect(await shown({ listenerId: few.listenerId })).to.deep.equal([[few.listenerId, 1, 0]]);
      const { listenerId, hookUrl } = many;
      expect(await queue().listeners({ limit: 1 })).to.deep.equal([
        {
          ...{ listenerId, orgId: 'globex', hookUrl, waiting: 3, held: 0 },
          ...{ health: healthy, paused: false, dueSince: minute },
        },
      ]);
    });
  });
}
