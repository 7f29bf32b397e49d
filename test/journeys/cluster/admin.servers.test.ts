import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { openMongoDeliveryQueue } from '../../../src/queue/mongodb/mongodb-delivery-queue.js';
import { openEventStoreDb } from '../../../src/stores/event-store/eventstoredb/eventstoredb-event-store.js';
import { openMongoDb } from '../../../src/stores/mongodb/mongodb-database.js';
import { emptyBatch } from '../../support/deliveries/delivery-batches.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { type Receiver, startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { runCliForJson } from '../../support/service/cli.js';
import { type Cluster, startCluster } from '../../support/service/cluster.js';
import { publish, subscribe } from '../../support/service/journey.js';
import { scrape } from '../../support/service/metrics.js';
import type { ServiceProcess } from '../../support/service/service.js';
import { until } from '../../support/until.js';

type Page = { items: readonly Readonly<Record<string, unknown>>[] };
type Part = { part: string; ready: boolean; since?: string; reason?: string };

onMongoDb('operating instances that share the work', (mongoDb) => {
  describe('operating an instance that answers beside one that projects and delivers', function () {
    this.timeout(240_000);
    let cluster: Cluster;
    let receiver: Receiver;
    let answering: ServiceProcess;
    let working: ServiceProcess;
    let authorization: string;

    before(async () => {
      receiver = await startReceiver();
      cluster = await startCluster(mongoDb);
      working = await cluster.startInstance({ ROLES: 'projector,dispatcher' });
      answering = await cluster.startInstance({ ROLES: 'api' });
      authorization = `Bearer ${readFileSync(join(working.dataDirectory, 'admin-key.txt'), 'utf8').trim()}`;
    });
    after(async () => {
      await receiver.close();
      await cluster.close();
    });

    const admin = async (path: string, json?: object): Promise<Page> => {
      const { status, body } = await answering.fetch(`/admin/api${path}`, {
        headers: { authorization },
        ...(json && { json }),
      });
      expect(status, JSON.stringify(body)).to.equal(200);
      return body as Page;
    };

    it('is done where the role is api', async () => {
      expect((await admin('/views')).items).not.to.have.length(0);
      expect((await working.fetch('/admin/api/views', { headers: { authorization } })).status).to.equal(404);
      expect((await working.fetch('/oauth2')).status).to.equal(404);
      expect((await working.fetch('/healthz')).status).to.equal(200);
      const [here, there] = [await scrape(answering), await scrape(working)];
      expect(here.has('flow_hooks_deliveries{state="waiting"}')).to.equal(false);
      expect(there.get('flow_hooks_deliveries{state="waiting"}')).to.equal(0);
      const partitions = async () => (await scrape(working)).get('flow_hooks_fan_out_partitions');
      await until(async () => (await partitions()) === 32, 'all partitions of the fan-out at the only dispatcher');
      expect(here.has('flow_hooks_view_lag_positions{view="listeners"}')).to.equal(false);
      expect(there.has('flow_hooks_view_lag_positions{view="listeners"}')).to.equal(true);
      for (const samples of [here, there])
        expect(samples.has('flow_hooks_view_position{view="listeners"}')).to.equal(true);
    });

    it('lists and retries set-aside events, and sends nothing twice', async () => {
      const stream = `flow-${randomUUID()}`;
      const events = openEventStoreDb({ url: cluster.environment.EVENTSTOREDB_URL ?? '' });
      await events.append(stream, [{ id: randomUUID(), type: 'odd', data: { total: 1 }, metadata: {} }]);
      await until(async () => (await admin('/set-aside')).items.length === 1, 'the event to be set aside');
      expect((await admin('/set-aside/retry', {})).items[0]).to.include({ stream, outcome: 'set-aside' });

      // As though an older release had not been able to decode an event that was delivered since.
      await subscribe(answering, `${receiver.origin}/hook`);
      await publish(answering, { type: 'flow.done', data: {}, flowId: 'theirs' });
      await receiver.has(1);
      const database = openMongoDb({ url: cluster.environment.MONGODB_URL ?? '' });
      const queue = await openMongoDeliveryQueue(database);
      for await (const { stream: of, revision, position, type } of events.readAll({
        filter: { categories: ['flow'] },
      })) {
        const aside = { stream: of, revision, position, type, reason: 'an older release did not know it' };
        if (type === 'flow.done') await queue.enqueue({ ...emptyBatch, setAside: [aside] }, Date.now());
      }
      const retried = await runCliForJson(cluster.environment, 'deliveries', 'retry-set-aside');
      expect(retried.map((each) => (each as { outcome: string }).outcome)).to.eql(['set-aside', 'handed-over']);
      expect((await admin('/set-aside')).items).to.have.length(1);
      expect((await queue.deliveries({ orgId: 'acme' })).deliveries.length).to.equal(1);
      expect(receiver.received).to.have.length(1);
      await queue.close();
      await database.close();
      await events.close();
    });

    it('shows that subscriptions are being re-established, since when, and how often they were', async () => {
      const resubscriptions = async () =>
        (await scrape(working)).get('flow_hooks_event_store_resubscriptions_total') ?? 0;
      const before = await resubscriptions();
      await cluster.eventStoreDb.misbehave({ refuseConnections: true });
      const subscriptions = async () => {
        const { parts } = (await working.fetch('/readyz')).body as { parts: readonly Part[] };
        return parts.filter(({ part }) => part.startsWith('subscription to '));
      };
      await until(
        async () =>
          (await subscriptions()).some(({ part }) => part === 'subscription to flow, listener, replay, eventType'),
        'the subscription of the fan-out to be in trouble',
      );
      const [one] = await subscriptions();
      expect(one).to.include({ ready: false, reason: 'it is being re-established' });
      expect(Date.parse(one?.since ?? '')).to.be.at.most(Date.now());
      expect((await fetch(`${working.origin}/metrics`)).status).to.equal(200);

      await cluster.eventStoreDb.behave();
      await until(async () => (await working.fetch('/readyz')).status === 200, 'readiness');
      expect(await subscriptions()).to.eql([]);
      expect(await resubscriptions()).to.be.greaterThan(before);
    });
  });
});
