import { expect } from 'chai';
import { batchOf, failed, leaseRequest, queuedListener } from '../../support/deliveries/delivery-batches.js';
import { countOf, type QueueContext, second } from './context.js';

const tooMany = { report: { startedAt: 1_000, durationMs: 5, status: 429, error: 'http_status' } };

export function ratesContract({ queue, leaseOne }: QueueContext): void {
  async function leasedOver(from: number, to: number, fields = {}): Promise<number> {
    let leased = 0;
    for (let now = from; now < to; ) {
      const { deliveries, nextDueAt } = await queue().lease(leaseRequest({ now, ...fields }));
      leased += deliveries.length;
      now = Math.max(now + 1, nextDueAt ?? to);
    }
    return leased;
  }

  describe('rates and shares', () => {
    it('give a listener no more deliveries a second than it may have', async () => {
      await queue().enqueue(batchOf([queuedListener({ ratePerSecond: 10 })], 80), 900);
      expect(await leasedOver(1_000, 4_000)).to.be.within(29, 31);
    });

    it('follow the request where the listener has no setting', async () => {
      const own = queuedListener({ ratePerSecond: 20 });
      const other = queuedListener();
      await queue().enqueue(batchOf([own, other], 30), 900);
      const first = await queue().lease(leaseRequest({ ratePerSecond: 50 }));
      expect(countOf(first.deliveries, own.listenerId)).to.equal(2);
      expect(countOf(first.deliveries, other.listenerId)).to.equal(5);
      expect(first.nextDueAt).to.be.within(1_001, 1_050);
    });

    it('slow down a listener that answers that there are too many', async () => {
      const listener = queuedListener();
      await queue().enqueue(batchOf([listener], 60), 900);
      const first = await queue().lease(leaseRequest({ limit: 20 }));
      const refused = first.deliveries.map((each) => failed(each, 100 * second, tooMany));
      const { troubled } = await queue().record(refused, 1_000);
      const perSecond = troubled[0]?.health.pace?.perSecond ?? Number.POSITIVE_INFINITY;
      expect(perSecond).to.be.within(1, 20);
      expect(troubled[0]?.health.breaker).to.equal(undefined);
      expect(await leasedOver(1_000, 2_000)).to.be.within(
        Math.floor(perSecond * 0.9) - 1,
        Math.ceil(perSecond * 1.1) + 1,
      );
    });

    it('give an organisation no more than it may have under way, and the others their turn', async () => {
      const many = Array.from({ length: 30 }, () => queuedListener());
      const other = queuedListener({ orgId: 'globex' });
      await queue().enqueue(batchOf(many, 3), 800);
      await queue().enqueue(batchOf([other], 2), 900);

      const request = { limit: 10, perOrganisation: 4 };
      const first = await queue().lease(leaseRequest(request));
      const ofAcme = first.deliveries.filter(({ orgId }) => orgId === 'acme');
      expect(ofAcme).to.have.length(4);
      expect(countOf(first.deliveries, other.listenerId)).to.equal(2);

      const underWay = new Map(ofAcme.map(({ listenerId }) => [listenerId, 1]));
      const second = await queue().lease(
        leaseRequest({ ...request, inFlightByListener: underWay, inFlightByOrganisation: new Map([['acme', 3]]) }),
      );
      expect(second.deliveries.map(({ orgId }) => orgId)).to.deep.equal(['acme']);
      const full = await queue().lease(leaseRequest({ ...request, inFlightByOrganisation: new Map([['acme', 4]]) }));
      expect(full.deliveries).to.deep.equal([]);
      expect(full.nextDueAt === undefined || full.nextDueAt > 1_000).to.equal(true);
    });

    it('leave slots for newcomers, however many deliveries of others wait', async () => {
      const backlogs = ['acme', 'globex'].flatMap((orgId) => [queuedListener({ orgId }), queuedListener({ orgId })]);
      for (const listener of backlogs) await queue().enqueue(batchOf([listener], 20), 700);
      const shares = { perListener: 4, perOrganisation: 8 };
      const first = await queue().lease(leaseRequest({ limit: 16, ...shares }));
      expect(first.nextDueAt === undefined || first.nextDueAt > 1_000).to.equal(true);

      const listenersOf = new Map(backlogs.map((listener) => [listener.listenerId, listener.orgId]));
      const underWay = new Map<string, number>();
      const inFlightByOrganisation = new Map<string, number>();
      const add = (counts: Map<string, number>, key: string, count: number) =>
        counts.set(key, (counts.get(key) ?? 0) + count);
      for (const [listenerId, orgId] of listenersOf) {
        const count = countOf(first.deliveries, listenerId);
        add(underWay, listenerId, count);
        add(inFlightByOrganisation, orgId, count);
      }
      const next = async (limit: number) =>
        (await queue().lease(leaseRequest({ limit, ...shares, inFlightByListener: underWay, inFlightByOrganisation })))
          .deliveries;

      const [late, other] = [queuedListener({ orgId: 'acme' }), queuedListener({ orgId: 'initech' })];
      for (const listener of [late, other]) await queue().enqueue(batchOf([listener]), 900);
      const limit = 16 - first.deliveries.length;
      const [ofOther, ...more] = await next(limit);
      expect([ofOther?.listenerId, ...more.map(({ orgId }) => orgId)]).to.deep.equal([other.listenerId]);

      const [busiest = ''] = underWay.keys();
      add(underWay, busiest, -1);
      add(inFlightByOrganisation, 'acme', -1);
      expect(countOf(await next(limit + 1), late.listenerId)).to.equal(1);
    });

    it('find due deliveries of one organisation behind a backlog of another', async () => {
      const listeners = Array.from({ length: 120 }, () => queuedListener());
      await queue().enqueue(batchOf(listeners), 700);
      await queue().enqueue(batchOf([queuedListener({ orgId: 'globex' })]), 800);
      await queue().enqueue(batchOf([queuedListener({ orgId: 'initech' })]), 900);
      const inFlightByOrganisation = new Map([['acme', 5]]);
      const leased = await queue().lease(leaseRequest({ limit: 5, perOrganisation: 5, inFlightByOrganisation }));
      expect(leased.deliveries.map(({ orgId }) => orgId)).to.have.members(['globex', 'initech']);
    });

    it('count only what was attempted', async () => {
      await queue().enqueue(batchOf([queuedListener({ ratePerSecond: 1 })], 2), 900);
      await leaseOne(1_000);
      expect((await queue().lease(leaseRequest({ now: 1_500 }))).deliveries).to.deep.equal([]);
      await leaseOne(2_000);
    });
  });
}
