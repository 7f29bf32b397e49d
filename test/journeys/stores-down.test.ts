import { expect } from 'chai';
import { type Cluster, startCluster } from '../support/cluster.js';
import { publish, refresh, signIn, subscribe, type Tokens } from '../support/journey.js';
import { onMongoDb } from '../support/mongodb/on-mongodb.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import type { ServiceProcess } from '../support/service.js';
import { until } from '../support/until.js';

type Part = { readonly part: string; readonly ready: boolean; readonly since?: string };

onMongoDb('a service whose stores are down', (mongoDb) => {
  describe('a service whose event store', function () {
    this.timeout(120_000);
    let cluster: Cluster;
    let hook: Receiver;
    let service: ServiceProcess;
    let tokens: Tokens;

    before(async () => {
      hook = await startReceiver();
      cluster = await startCluster(mongoDb);
      service = await cluster.startInstance();
      await subscribe(service, `${hook.origin}/hook`);
    });
    after(async () => {
      await service.stop('SIGKILL');
      await hook.close();
      await cluster.close();
    });

    const partsNotReady = async (): Promise<readonly Part[]> => {
      const { body } = await service.fetch('/readyz');
      return (body as { parts: readonly Part[] }).parts.filter(({ ready }) => !ready);
    };

    for (const [what, misbehaviour] of [
      ['cannot be reached', { refuseConnections: true }],
      ['answers nothing', { silent: true }],
    ] as const) {
      it(`${what}: answers within seconds what it cannot do, loses nothing, and goes on by itself`, async () => {
        tokens = await signIn(service, { userId: what });
        const received = hook.received.length;
        const accepted = await publish(service, { type: 'flow.before', data: {} });
        await cluster.eventStoreDb.misbehave(misbehaviour);

        const startedAt = performance.now();
        const [published, subscribed, refreshed] = await Promise.all([
          service.fetch('/api/flows', { json: { orgId: 'acme', type: 'flow.completed', data: {} } }),
          service.fetch('/api/hooks/subscribe/flows', {
            headers: { orgid: 'acme', userid: 'ada' },
            json: { hookUrl: `${hook.origin}/other`, subscriptionType: '*' },
          }),
          refresh(service, tokens.refresh_token),
        ]);
        expect(performance.now() - startedAt).to.be.lessThan(12_000);
        expect(published.status).to.equal(503);
        expect(published.headers.get('retry-after')).to.match(/^\d+$/);
        expect(subscribed.status).to.equal(500);
        expect(subscribed.body).to.include({ error: 'store_unavailable' });
        expect(refreshed.status).to.equal(503);
        expect(refreshed.headers.get('retry-after')).to.match(/^\d+$/);
        expect((await service.fetch('/healthz')).status).to.equal(200);
        await until(
          async () => (await partsNotReady()).some(({ part }) => part === 'event store'),
          'readiness to say so',
        );
        expect((await partsNotReady())[0]?.since).to.match(/^\d{4}-/);

        await cluster.eventStoreDb.behave();
        await until(async () => (await service.fetch('/readyz')).status === 200, 'readiness', { limitMs: 60_000 });
        expect((await refresh(service, tokens.refresh_token)).status).to.equal(200);
        const later = await publish(service, { type: 'flow.after', data: {} });
        await until(
          () => [accepted, later].every((id) => hook.received.slice(received).some(({ body }) => body.includes(id))),
          'what was accepted before and after',
          { limitMs: 60_000 },
        );
      });
    }
  });
});
