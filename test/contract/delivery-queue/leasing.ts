import { expect } from 'chai';
import type { HostConnections, LeasedDelivery } from '../../../src/queue/leasing.js';
import {
  batchOf,
  failed,
  leaseRequest,
  queuedListener,
  released,
  succeeded,
} from '../../support/deliveries/delivery-batches.js';
import { countOf, hour, type QueueContext } from './context.js';

/** Connections that leave capacity for so many deliveries to listeners of one organisation at this host. */
const roomAt = (host: string, count: number): HostConnections => {
  const perHost = 64;
  return { perHost, byHost: new Map([[host, perHost - count - 1]]), byOrganisation: new Map(), byListener: new Map() };
};

export function leasingContract({ queue, leaseOne }: QueueContext): void {
  describe('leasing', () => {
    it('leases a delivery to one at a time', async () => {
      await queue().enqueue(batchOf([queuedListener()], 50), 900);
      const leases = await Promise.all(Array.from({ length: 10 }, () => queue().lease(leaseRequest({ limit: 8 }))));
      const ids = leases.flatMap(({ deliveries }) => deliveries.map(({ id }) => id));
      expect(ids.length).to.equal(50);
      expect(new Set(ids).size).to.equal(50);
    });

    it('leases at most the requested number, and reports that there are more', async () => {
      await queue().enqueue(batchOf([queuedListener()], 5), 900);
      const { deliveries, nextDueAt } = await queue().lease(leaseRequest({ limit: 3, now: 1_000 }));
      expect(deliveries.length).to.equal(3);
      expect(nextDueAt).to.equal(1_000);
    });

    it('gives of each listener the longest due first', async () => {
      const listener = queuedListener();
      const later = batchOf([listener]);
      const sooner = batchOf([listener]);
      await queue().enqueue(later, 800);
      await queue().enqueue(sooner, 700);
      expect((await leaseOne()).id).to.equal(sooner.deliveries[0]?.id);
    });

    it('passes over a listener that has as many under way as it may, so that the others get their turn', async () => {
      const slow = queuedListener();
      const healthy = queuedListener();
      await queue().enqueue(batchOf([slow], 200), 800);
      await queue().enqueue(batchOf([healthy], 3), 900);

      const first = await queue().lease(leaseRequest({ limit: 10, perListener: 5 }));
      expect(countOf(first.deliveries, slow.listenerId)).to.equal(5);
      expect(countOf(first.deliveries, healthy.listenerId)).to.equal(3);
      expect(first.nextDueAt === undefined || first.nextDueAt > 1_000).to.equal(true);

      const underWay = new Map([[slow.listenerId, 4]]);
      const second = await queue().lease(leaseRequest({ limit: 10, perListener: 5, inFlightByListener: underWay }));
      expect(second.deliveries.length).to.equal(1);
    });

    it('leases due deliveries of a listener beside those under lease', async () => {
      const listener = queuedListener();
      await queue().enqueue(batchOf([listener], 2), 900);
      const [first, other] = (await queue().lease(leaseRequest())).deliveries as [LeasedDelivery, LeasedDelivery];
      expect((await queue().lease(leaseRequest())).deliveries).to.deep.equal([]);

      await queue().enqueue(batchOf([listener]), 1_000);
      expect((await leaseOne()).attempt).to.equal(1);
      await queue().record([failed(first, 5_000)], 1_000);
      expect(await queue().lease(leaseRequest({ now: 1_001 }))).to.deep.equal({ deliveries: [], nextDueAt: 5_000 });
      await queue().record([released(other)], 1_001);
      expect((await leaseOne(1_001)).id).to.equal(other.id);
      expect((await queue().lease(leaseRequest({ now: 1_002 }))).nextDueAt).to.equal(5_000);
      expect((await leaseOne(5_000)).attempt).to.equal(2);
    });

    it('leases no more of a host than it has capacity for, and those of other hosts behind it', async () => {
      const atHost = (host: string, count: number) =>
        Array.from({ length: count }, (_, listener) => queuedListener({ hookUrl: `https://${host}/${listener}` }));
      await queue().enqueue(batchOf(atHost('saturated.example.com', 60), 2), 800);
      await queue().enqueue(batchOf(atHost('free.example.com', 3), 2), 900);
      const { deliveries, nextDueAt } = await queue().lease(
        leaseRequest({ limit: 20, hosts: roomAt('saturated.example.com', 3) }),
      );
      const hosts = deliveries.map(({ hookUrl }) => new URL(hookUrl).hostname);
      expect(hosts.filter((host) => host.startsWith('saturated'))).to.have.length(3);
      expect(hosts.filter((host) => host.startsWith('free'))).to.have.length(6);
      expect(nextDueAt === undefined || nextDueAt > 1_000, 'the others wait for no time').to.equal(true);
      const rest = await queue().lease(leaseRequest({ limit: 200 }));
      expect(rest.deliveries).to.have.length(120 - 3);
    });

    it('returns when the next delivery is due', async () => {
      expect((await queue().lease(leaseRequest())).nextDueAt).to.equal(undefined);
      await queue().enqueue(batchOf([queuedListener()]), 900);
      await queue().record([failed(await leaseOne(), 5_000)], 1_000);
      expect(await queue().lease(leaseRequest({ now: 1_001 }))).to.deep.equal({ deliveries: [], nextDueAt: 5_000 });
      expect((await leaseOne(5_000)).attempt).to.equal(2);
    });

    it('keeps its leases when the wall clock is set', async () => {
      await queue().enqueue(batchOf([queuedListener()]), 10 * hour);
      const [delivery] = (await queue().lease(leaseRequest({ now: 10 * hour }))).deliveries;
      for (const now of [11 * hour, 9 * hour]) {
        expect((await queue().lease(leaseRequest({ now }))).deliveries).to.deep.equal([]);
      }
      expect(await queue().record([succeeded(delivery as LeasedDelivery)], 11 * hour)).to.include({ counted: 1 });
    });

    it('leases released deliveries again, unchanged', async () => {
      await queue().enqueue(batchOf([queuedListener()]), 900);
      await queue().record([released(await leaseOne())], 1_000);
      expect((await leaseOne(1_000)).attempt).to.equal(1);
    });
  });
}
