import { expect } from 'chai';
import { findWaits } from '../../../../src/queue/waits.js';
import {
  batchOf,
  emptyBatch,
  exhausted,
  failed,
  leaseRequest,
  queuedListener,
} from '../../../support/deliveries/delivery-batches.js';
import { hour, type QueueContext, second } from '../context.js';

export function waitsContract({ queue, leaseOne, reopen }: QueueContext): void {
  /** Reason and end of the wait of each delivery, in the order of the flow events. */
  async function waits(now: number): Promise<readonly (readonly [event: string, waitsFor?: string, until?: number])[]> {
    const deliveries = [...(await queue().deliveries({ orgId: 'acme' })).deliveries].reverse();
    const waitOf = await findWaits(queue(), deliveries, now);
    return deliveries.map((delivery) => {
      const wait = waitOf(delivery);
      if (!wait) return [delivery.eventId];
      return wait.until === undefined
        ? [delivery.eventId, wait.waitsFor]
        : [delivery.eventId, wait.waitsFor, wait.until];
    });
  }

  /** Fails ten of eleven deliveries, which opens the listener's breaker at 1,000 until 31,000. */
  async function openBreaker(): Promise<void> {
    await queue().enqueue(batchOf([queuedListener()], 11, 'event'), 900);
    const { deliveries } = await queue().lease(leaseRequest({ limit: 10 }));
    await queue().record(
      deliveries.map((each) => failed(each, 2_000)),
      1_000,
    );
  }

  const allOf = (events: number, ...wait: readonly [string, number?]) =>
    Array.from({ length: events }, () => [...wait]);
  const withoutEvents = (found: Awaited<ReturnType<typeof waits>>) => found.map(([, ...wait]) => wait);

  describe('what a delivery waits for', () => {
    it('is a worker where nothing keeps it back, and nothing once it has ended', async () => {
      await queue().enqueue(batchOf([queuedListener()], 1, 'event'), 900);
      expect(await waits(1_000)).to.deep.equal([['event-0', 'a worker']]);
      await queue().record([exhausted(await leaseOne())], 1_000);
      expect(await waits(1_000)).to.deep.equal([['event-0']]);
    });

    it('is its schedule where it has failed, until the next attempt is due', async () => {
      await queue().enqueue(batchOf([queuedListener()], 1, 'event'), 900);
      await queue().record([failed(await leaseOne(), 5_000)], 1_000);
      await reopen();
      expect(await waits(1_000)).to.deep.equal([['event-0', 'schedule', 5_000]]);
      expect(await waits(5_000)).to.deep.equal([['event-0', 'a worker']]);
    });

    it("is the listener's Retry-After, if that is later than its schedule", async () => {
      await queue().enqueue(batchOf([queuedListener()], 2, 'event'), 900);
      await queue().record([failed(await leaseOne(), 5_000, { notBefore: 9_000 })], 1_000);
      await reopen();
      expect(withoutEvents(await waits(1_000))).to.deep.equal(allOf(2, 'retry-after', 9_000));
      await queue().lease(leaseRequest());
      expect(withoutEvents(await waits(1_000))).to.deep.equal(allOf(2, 'retry-after', 9_000));
    });

    it('is the circuit breaker while that is open, and while its probe is under way', async () => {
      await openBreaker();
      expect(withoutEvents(await waits(1_000))).to.deep.equal(allOf(11, 'breaker', 31_000));
      await reopen();
      await queue().lease(leaseRequest());
      expect(withoutEvents(await waits(1_000))).to.deep.equal(allOf(11, 'breaker', 31_000));

      await leaseOne(31_000);
      expect(withoutEvents(await waits(31_000))).to.deep.equal(allOf(11, 'breaker', 91_000));
      await reopen();
      expect(withoutEvents(await waits(31_000))).to.deep.equal(allOf(11, 'breaker', 91_000));
    });

    it('is the rate limit of its listener, or of all listeners', async () => {
      await queue().enqueue(batchOf([queuedListener({ ratePerSecond: 1 })], 3, 'own'), 900);
      await queue().lease(leaseRequest());
      expect((await waits(1_000)).slice(1)).to.deep.equal([
        ['own-1', 'rate', 2_000],
        ['own-2', 'rate', 2_000],
      ]);
      await queue().enqueue(batchOf([queuedListener()], 2, 'common'), 900);
      await queue().lease(leaseRequest({ ratePerSecond: 1 }));
      await reopen();
      expect(withoutEvents((await waits(1_000)).filter(([event]) => event === 'common-1'))).to.deep.equal([
        ['rate', 2_000],
      ]);
    });

    it('is the order of an ordered listener, for all but the delivery that is the next', async () => {
      await queue().enqueue(batchOf([queuedListener({ ordered: true })], 3, 'event'), 900);
      expect(await waits(1_000)).to.deep.equal([
        ['event-0', 'a worker'],
        ['event-1', 'order'],
        ['event-2', 'order'],
      ]);
      await queue().record([failed(await leaseOne(), 5_000)], 1_000);
      await reopen();
      expect(await waits(1_000)).to.deep.equal([
        ['event-0', 'schedule', 5_000],
        ['event-1', 'order'],
        ['event-2', 'order'],
      ]);
      await queue().record([exhausted(await leaseOne(5_000))], 5_000);
      expect(await waits(5_000)).to.deep.equal([['event-0'], ['event-1', 'a worker'], ['event-2', 'order']]);
    });

    it('is that its paused listener is resumed, and after that its redelivery', async () => {
      const listener = queuedListener({ paused: true, position: 2n });
      await queue().enqueue(batchOf([listener], 1, 'event'), 900);
      expect(await waits(1_000)).to.deep.equal([['event-0', 'resume']]);
      await queue().enqueue({ ...emptyBatch, listeners: [{ ...listener, paused: false, position: 3n }] }, 900);
      await reopen();
      expect(await waits(1_000)).to.deep.equal([['event-0', 'redelivery']]);
    });

    it('ends as much later as it was going to where the wall clock is set back', async () => {
      const [before, back] = [100 * hour, 99 * hour];
      await queue().enqueue(batchOf([queuedListener({ ratePerSecond: 1 })], 2, 'event'), before);
      await queue().lease(leaseRequest({ now: before }));
      expect((await waits(before))[1]).to.deep.equal(['event-1', 'rate', before + second]);
      await queue().lease(leaseRequest({ now: back }));
      expect((await waits(back))[1]).to.deep.equal(['event-1', 'rate', back + second]);
    });
  });
}
