import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { startTcpRelay, type TcpRelay } from '../../eventstoredb-double/src/tcp-relay.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { type Receiver, startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { type Cluster, startCluster } from '../../support/service/cluster.js';
import { publish, refresh, signIn, subscribe, type Tokens, unsubscribe } from '../../support/service/journey.js';
import type { ServiceProcess } from '../../support/service/service.js';
import { until } from '../../support/until.js';

type Part = { part: string; ready: boolean; since?: string };

async function partsNotReady(service: ServiceProcess): Promise<readonly Part[]> {
  const { body } = await service.fetch('/readyz');
  return (body as { parts: readonly Part[] }).parts.filter(({ ready }) => !ready);
}

const ready = (service: ServiceProcess) =>
  until(async () => (await service.fetch('/readyz')).status === 200, 'readiness', { everyMs: 50 });

onMongoDb('a service whose stores are down', (mongoDb) => {
  describe('a service whose event store', function () {
    this.timeout(240_000);
    let cluster: Cluster;
    let receiver: Receiver;
    let service: ServiceProcess;
    let tokens: Tokens;

    before(async () => {
      receiver = await startReceiver();
      cluster = await startCluster(mongoDb);
      service = await cluster.startInstance();
      await subscribe(service, `${receiver.origin}/hook`);
    });
    after(async () => {
      await receiver.close();
      await cluster.close();
    });

    for (const [what, misbehaviour] of [
      ['cannot be reached', { refuseConnections: true }],
      ['answers nothing', { silent: true }],
    ] as const) {
      it(`${what}: answers within seconds what it cannot do, loses nothing, and goes on by itself`, async () => {
        tokens = await signIn(service, { userId: what });
        const received = receiver.received.length;
        const accepted = await publish(service, { type: 'flow.before', data: {} });
        await cluster.eventStoreDb.misbehave(misbehaviour);

        const [published, subscribed, refreshed] = await Promise.all([
          service.fetch('/api/flows', { json: { orgId: 'acme', type: 'flow.completed', data: {} } }),
          service.fetch('/api/hooks/subscribe/flows', {
            headers: { orgid: 'acme', userid: 'ada' },
            json: { hookUrl: `${receiver.origin}/other`, subscriptionType: '*' },
          }),
          refresh(service, tokens.refresh_token),
        ]);
        expect(published.status).to.equal(503);
        expect(published.headers.get('retry-after')).to.match(/^\d+$/);
        expect(subscribed.status).to.equal(500);
        expect(subscribed.body).to.include({ error: 'store_unavailable' });
        expect(refreshed.status).to.equal(503);
        expect(refreshed.headers.get('retry-after')).to.match(/^\d+$/);
        expect((await service.fetch('/healthz')).status).to.equal(200);
        await until(
          async () => (await partsNotReady(service)).some(({ part }) => part === 'event store'),
          'readiness to say so',
        );
        expect((await partsNotReady(service))[0]?.since).to.match(/^\d{4}-/);

        await cluster.eventStoreDb.behave();
        await ready(service);
        expect((await refresh(service, tokens.refresh_token)).status).to.equal(200);
        const later = await publish(service, { type: 'flow.after', data: {} });
        await until(
          () =>
            [accepted, later].every((id) => receiver.received.slice(received).some(({ body }) => body.includes(id))),
          'what was accepted before and after',
        );
      });
    }
  });

  describe('a service whose MongoDB', function () {
    this.timeout(240_000);
    let relay: TcpRelay;
    let cluster: Cluster;
    let receiver: Receiver;
    let service: ServiceProcess;

    before(async () => {
      receiver = await startReceiver();
      relay = await startTcpRelay(mongoDb.server.url);
      cluster = await startCluster(mongoDb, relay.url);
      service = await cluster.startInstance();
      await subscribe(service, `${receiver.origin}/hook`);
    });
    after(async () => {
      await receiver.close();
      await cluster.close();
      await relay.close();
    });

    /** Behind the admin API are the views. */
    function listListeners() {
      const key = readFileSync(join(service.dataDirectory, 'admin-key.txt'), 'utf8').trim();
      return service.fetch('/admin/api/listeners?orgId=acme', { headers: { authorization: `Bearer ${key}` } });
    }

    for (const [what, trouble] of [
      ['cannot be reached', () => relay.refuse()],
      ['answers nothing', () => relay.silence()],
    ] as const) {
      it(`${what}: says so where it is needed, does without it elsewhere, and loses nothing`, async () => {
        const tokens = await signIn(service, { userId: what });
        const passing = `${receiver.origin}/passing-${what.length}`;
        await subscribe(service, passing, { orgId: 'globex' });
        await until(async () => (await listListeners()).status === 200, 'the views to have caught up');
        const meanwhile = `${receiver.origin}/meanwhile-${what.length}`;
        await trouble();

        const [accepted, refreshed, sample, , unsubscribed, listed] = await Promise.all([
          publish(service, { type: 'flow.meanwhile', data: {} }),
          refresh(service, tokens.refresh_token),
          service.fetch('/api/hooks/perform-list'),
          subscribe(service, meanwhile),
          unsubscribe(service, passing, 'globex'),
          listListeners(),
        ]);
        expect([refreshed.status, sample.status]).to.deep.equal([200, 201]);
        expect(unsubscribed.status).to.equal(500);
        expect(unsubscribed.body).to.include({ error: 'store_unavailable' });
        expect(listed.status).to.equal(503);
        expect(listed.headers.get('retry-after')).to.match(/^\d+$/);
        expect((await service.fetch('/healthz')).status).to.equal(200);
        for (const name of ['view listeners', 'deliveries']) {
          const notReady = async () => (await partsNotReady(service)).find(({ part }) => part === name);
          await until(async () => (await notReady()) !== undefined, `${name} not to be ready`);
          expect((await notReady())?.since).to.match(/^\d{4}-/);
        }

        await relay.restore();
        await ready(service);
        expect((await unsubscribe(service, passing, 'globex')).status).to.equal(200);
        const later = await publish(service, { type: 'flow.after', data: {} });
        const paths = (id: string) => receiver.received.filter(({ body }) => body.includes(id)).map(({ path }) => path);
        await until(
          () => paths(accepted).includes('/hook') && paths(later).includes(new URL(meanwhile).pathname),
          'what was accepted, at the listeners registered before and meanwhile',
        );
      });
    }
  });
});
