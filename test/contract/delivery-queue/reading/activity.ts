import { expect } from 'chai';
import { bucketBoundsMs, histogramOf, noDurations } from '../../../../src/queue/policy/activity.js';
import {
  batchOf,
  emptyBatch,
  exhausted,
  failed,
  leaseRequest,
  queuedListener,
  released,
  succeeded,
} from '../../../support/deliveries/delivery-batches.js';
import { hour, minute, type QueueContext, second } from '../context.js';

const noon = Date.UTC(2026, 0, 31, 12);
const always = { from: 0, to: noon + 1_000 * hour };

export function activityContract({ queue, reopen }: QueueContext): void {
  async function attemptAt(now: number, events = 1): Promise<void> {
    await queue().enqueue(batchOf([queuedListener()], events), now);
    const { deliveries } = await queue().lease(leaseRequest({ now }));
    await queue().record(deliveries.map(succeeded), now);
  }

  it('counts the deliveries of a period that used up their attempts, by listener, without those that are due again', async () => {
    const other = queuedListener({ orgId: 'globex' });
    await queue().enqueue(batchOf([queuedListener()], 3), noon);
    await queue().enqueue(batchOf([other], 1), noon);
    const { deliveries } = await queue().lease(leaseRequest({ now: noon + second }));
    const own = deliveries.filter(({ orgId }) => orgId !== 'globex');
    const [first, ...more] = own;
    if (!first) throw new Error('nothing was leased');
    await queue().record([exhausted(first)], noon + 59 * second);
    await queue().record(deliveries.filter((each) => each !== first).map(exhausted), noon + minute);
    await reopen();
    const period = { from: noon + minute, to: noon + 2 * minute };
    expect(await queue().exhausted(period)).to.have.deep.members([
      { listenerId: first.listenerId, exhausted: more.length },
      { listenerId: other.listenerId, exhausted: 1 },
    ]);
    await queue().redeliver({ orgId: 'globex', states: ['exhausted'] }, noon + minute);
    expect(await queue().exhausted(period)).to.eql([{ listenerId: first.listenerId, exhausted: 2 }]);
  });

  describe('activity', () => {
    it('counts flow events and attempts of all organisations by minute', async () => {
      const events = batchOf([queuedListener()], 2);
      await queue().enqueue(events, noon);
      await queue().enqueue(batchOf([queuedListener({ orgId: 'globex' })], 2), noon + second);
      const { deliveries } = await queue().lease(leaseRequest({ now: noon + second }));
      const [one, two, three, four] = deliveries as [
        (typeof deliveries)[0],
        (typeof deliveries)[0],
        (typeof deliveries)[0],
        (typeof deliveries)[0],
      ];
      await queue().record([{ ...succeeded(one), latencyMs: 40 }, succeeded(two)], noon + 59 * second);
      await queue().record([failed(three, noon + hour), exhausted(four)], noon + minute);
      await reopen();

      expect(await queue().activity(always)).to.deep.equal([
        {
          at: noon,
          events: 4,
          succeeded: 2,
          failed: 0,
          exhausted: 0,
          latency: histogramOf([40]),
          duration: histogramOf([5, 5]),
        },
        {
          at: noon + minute,
          events: 0,
          succeeded: 0,
          failed: 2,
          exhausted: 1,
          latency: noDurations,
          duration: histogramOf([5, 5]),
        },
      ]);
      expect(histogramOf([40, 50, 51])[bucketBoundsMs.indexOf(50)]).to.equal(2);
    });

    it('is given for the minutes that begin in a period', async () => {
      for (const index of [0, 1, 2]) await attemptAt(noon + index * minute);
      const beginnings = async (from: number, to: number) =>
        (await queue().activity({ from, to })).map(({ at }) => (at - noon) / minute);
      expect(await beginnings(noon, noon + 2 * minute)).to.deep.equal([0, 1]);
      expect(await beginnings(noon + 1, noon + 2 * minute + 1)).to.deep.equal([1, 2]);
      expect(await beginnings(noon + hour, noon)).to.deep.equal([]);
    });

    it('counts nothing twice that is enqueued or recorded again', async () => {
      const batch = batchOf([queuedListener()], 2);
      await queue().enqueue(batch, noon);
      await queue().enqueue(batch, noon + minute);
      const { deliveries } = await queue().lease(leaseRequest({ now: noon + minute }));
      const outcomes = deliveries.map(succeeded);
      await queue().record(outcomes, noon + minute);
      await queue().record(outcomes, noon + minute);
      await queue().enqueue(batch, noon + minute);
      const [first, second] = await queue().activity(always);
      expect(first).to.deep.include({ at: noon, events: 2, succeeded: 0 });
      expect(second).to.deep.include({ events: 0, succeeded: 2 });
    });

    it('counts flow events without listeners, but no replays, tests or released deliveries', async () => {
      const unwanted = { ...emptyBatch, messages: batchOf([queuedListener()], 3).messages };
      await queue().enqueue(
        { ...unwanted, messages: unwanted.messages.map((each) => ({ ...each, body: null })) },
        noon,
      );
      const replayed = batchOf([queuedListener()]);
      const deliveries = replayed.deliveries.map((each) => ({ ...each, replay: 'one' }));
      await queue().enqueue({ ...replayed, deliveries }, noon);
      const test = batchOf([queuedListener()]);
      await queue().enqueue(
        { ...test, messages: test.messages.map((each) => ({ ...each, recordedAt: undefined })) },
        noon,
      );
      const leased = await queue().lease(leaseRequest({ now: noon }));
      await queue().record(leased.deliveries.map(released), noon);
      const [counted] = await queue().activity(always);
      expect(counted).to.deep.include({ events: 3, succeeded: 0, failed: 0, duration: noDurations });
    });

    it('is kept for a day, and removed when another minute begins after that', async () => {
      await attemptAt(noon);
      await attemptAt(noon + 24 * hour);
      expect(await queue().activity(always)).to.have.length(2);
      await attemptAt(noon + 24 * hour + minute);
      const left = await queue().activity(always);
      expect(left.map(({ at }) => at)).to.deep.equal([noon + 24 * hour, noon + 24 * hour + minute]);
    });
  });
}
