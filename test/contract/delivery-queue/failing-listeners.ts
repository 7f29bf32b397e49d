import { expect } from 'chai';
import type { LeasedDelivery, Outcome } from '../../../src/queue/leasing.js';
import {
  batchOf,
  emptyBatch,
  failed,
  leaseRequest,
  queuedListener,
  released,
  succeeded,
} from '../../support/deliveries/delivery-batches.js';
import { countOf, type QueueContext, second } from './context.js';

const retryAt = 100 * second;

export function failingListenersContract({ queue, leaseOne, reopen }: QueueContext): void {
  const lease = async (now: number, fields = {}): Promise<readonly LeasedDelivery[]> =>
    (await queue().lease(leaseRequest({ now, ...fields }))).deliveries;
  const healthOf = async (listenerId: string) => (await queue().listenerStates([listenerId])).get(listenerId)?.health;

  /** Ten deliveries fail, and five more wait. */
  async function openBreaker(listener = queuedListener()) {
    await queue().enqueue(batchOf([listener], 15), 900);
    const first = await lease(1_000, { limit: 10 });
    return {
      listener,
      recorded: await queue().record(
        first.map((each) => failed(each, retryAt)),
        1_000,
      ),
    };
  }

  describe('a failing listener', () => {
    it('is not leased once its circuit breaker opens, with the time of the next probe', async () => {
      const { listener, recorded } = await openBreaker();
      const [troubled] = recorded.troubled;
      expect(troubled).to.include({ listenerId: listener.listenerId, orgId: 'acme', hookUrl: listener.hookUrl });
      expect(troubled?.before.breaker).to.equal(undefined);
      expect(troubled?.health.breaker).to.deep.equal({ openings: 1, openUntil: 31 * second, probing: false });
      await reopen();

      expect((await healthOf(listener.listenerId))?.breaker).to.include({ openings: 1 });
      expect((await queue().counts(1_000)).openBreakers).to.equal(1);
      expect(await queue().lease(leaseRequest({ now: 2 * second }))).to.deep.equal({
        deliveries: [],
        nextDueAt: 31 * second,
      });
      await queue().enqueue(batchOf([listener]), 3 * second);
      expect(await lease(3 * second)).to.deep.equal([]);
      expect((await queue().counts(3 * second)).oldestDueAt).to.equal(900);
    });

    it('is leased again once its health is reset, though it was not paused, by an event that comes once', async () => {
      const { listener } = await openBreaker();
      const reset = { ...listener, position: listener.position + 1n, isHealthReset: true } as const;
      await queue().enqueue({ ...emptyBatch, listeners: [reset] }, 2 * second);
      expect((await healthOf(listener.listenerId))?.breaker).to.equal(undefined);
      const again = await lease(2 * second);
      expect(again).to.have.length(5);
      await queue().record(
        again.map((each) => failed(each, retryAt)),
        2 * second,
      );
      const { failing } = (await healthOf(listener.listenerId)) ?? {};
      expect(failing).to.include({ attempts: 5 });
      await queue().enqueue({ ...emptyBatch, listeners: [reset] }, 3 * second);
      expect((await healthOf(listener.listenerId))?.failing).to.deep.equal(failing);
    });

    it('is not leased by a clock that is a little earlier', async () => {
      await openBreaker();
      expect(await lease(999)).to.deep.equal([]);
      await reopen();
      expect(await lease(950)).to.deep.equal([]);
      expect(await lease(31 * second)).to.have.length(1);
    });

    it('is tried with one delivery when its breaker has been open for long enough', async () => {
      await openBreaker();
      const probe = await lease(31 * second);
      expect(probe).to.have.length(1);
      expect(await lease(32 * second)).to.deep.equal([]);

      const { troubled } = await queue().record(
        probe.map((each) => failed(each, retryAt)),
        32 * second,
      );
      expect(troubled[0]?.health.breaker).to.deep.equal({ openings: 2, openUntil: 92 * second, probing: false });
      expect(await lease(91 * second)).to.deep.equal([]);
    });

    it('is probed again at once if a probe was released without an attempt', async () => {
      await openBreaker();
      await queue().record((await lease(31 * second)).map(released), 32 * second);
      const probe = await lease(32 * second);
      expect(probe).to.have.length(1);
      expect(await lease(33 * second)).to.deep.equal([]);
      const { troubled } = await queue().record(
        probe.map((each) => failed(each, retryAt)),
        33 * second,
      );
      expect(troubled[0]?.health.breaker).to.include({ openings: 2, probing: false });
    });

    it('gets all deliveries again once that one has succeeded', async () => {
      const { listener } = await openBreaker();
      const { troubled } = await queue().record((await lease(31 * second)).map(succeeded), 32 * second);
      expect(troubled[0]).to.include({ listenerId: listener.listenerId });
      expect(troubled[0]?.health.breaker).to.equal(undefined);
      expect((await queue().counts(1_000)).openBreakers).to.equal(0);
      expect(await lease(32 * second)).to.have.length(4);
    });

    it('delays no other listener', async () => {
      await openBreaker();
      const healthy = queuedListener();
      await queue().enqueue(batchOf([healthy], 3), 900);
      expect(countOf(await lease(2 * second), healthy.listenerId)).to.equal(3);
    });

    it('is known since when, and by how many attempts, until one succeeds', async () => {
      const listener = queuedListener();
      await queue().enqueue(batchOf([listener], 2), 900);
      const [one, two] = (await lease(1_000)) as [LeasedDelivery, LeasedDelivery];
      await queue().record([failed(one, 2_000)], 1_000);
      const { troubled } = await queue().record([failed(await leaseOne(2_000), 3_000)], 2_000);
      expect(troubled[0]?.before.failing).to.include({ since: 1_000, attempts: 1 });
      expect(troubled[0]?.health.failing).to.include({ since: 1_000, attempts: 2 });
      await queue().record([released(two)], 2_000);
      await reopen();
      expect((await healthOf(listener.listenerId))?.failing).to.include({ since: 1_000, attempts: 2 });

      const again = await lease(3_000);
      const last = again.find(({ id }) => id === two.id) as LeasedDelivery;
      expect((await queue().record([succeeded(last)], 3_000)).troubled).to.deep.equal([]);
      expect((await healthOf(listener.listenerId))?.failing).to.equal(undefined);
    });

    it('is not blamed for local failures', async () => {
      const listener = queuedListener();
      await queue().enqueue(batchOf([listener], 15), 900);
      const ours = (await lease(1_000)).map((each) => failed(each, 2_000, { byListener: false }));
      expect((await queue().record(ours, 1_000)).troubled).to.deep.equal([]);
      expect((await healthOf(listener.listenerId))?.failing).to.equal(undefined);
      expect(await lease(2_000)).to.have.length(15);
    });

    it('is not blamed where most of its latest attempts have succeeded', async () => {
      await queue().enqueue(batchOf([queuedListener()], 30), 900);
      const all = await lease(1_000);
      await queue().record(all.slice(0, 10).map(succeeded), 1_000);
      const failures = all.slice(10, 20).map((each): Outcome => failed(each, 2_000));
      expect((await queue().record(failures, 1_100)).troubled[0]?.health.breaker).to.equal(undefined);
    });

    it('is not leased during its Retry-After', async () => {
      await queue().enqueue(batchOf([queuedListener()], 5), 900);
      const answer = {
        report: { startedAt: 1_000, durationMs: 5, status: 503, error: 'http_status' },
        notBefore: 20_000,
      };
      await queue().record([failed(await leaseOne(), 5_000, answer)], 1_000);
      await reopen();
      expect(await queue().lease(leaseRequest({ now: 19_000 }))).to.deep.equal({ deliveries: [], nextDueAt: 20_000 });
      expect((await lease(20_000)).length).to.be.at.least(1);
    });

    it('stays forgotten where attempts that were under way fail after that', async () => {
      const listener = queuedListener();
      await queue().enqueue(batchOf([listener], 15), 900);
      const underWay = await lease(1_000);
      await queue().withdraw({ listenerId: listener.listenerId });
      const { troubled } = await queue().record(
        underWay.map((each) => failed(each, retryAt)),
        1_000,
      );
      expect(troubled).to.deep.equal([]);
      expect((await queue().counts(1_000)).openBreakers).to.equal(0);
      await reopen();
      expect((await queue().counts(1_000)).openBreakers).to.equal(0);
    });

    it('is forgotten once its gate closes', async () => {
      const { listener } = await openBreaker();
      await queue().withdraw({ listenerId: listener.listenerId });
      expect((await queue().counts(1_000)).openBreakers).to.equal(0);
    });
  });
}
