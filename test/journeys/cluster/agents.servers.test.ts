import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect } from 'chai';
import { z } from 'zod';
import { type AgentHost, startAgentHost } from '../../support/mcp/agent-host.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { administratorOf } from '../../support/service/administrator.js';
import { type Cluster, startCluster } from '../../support/service/cluster.js';
import { exchange, publish, type Tokens } from '../../support/service/journey.js';
import type { ServiceProcess } from '../../support/service/service.js';
import { until } from '../../support/until.js';

type Subscribed = { id: string; cursor: string; truncated: boolean };

onMongoDb('agents where instances share the work', (mongoDb) => {
  describe('the subscription of an agent', function () {
    this.timeout(360_000);
    let cluster: Cluster;
    let host: AgentHost;
    let instances: ServiceProcess[];

    before(async () => {
      host = await startAgentHost();
      cluster = await startCluster(mongoDb);
      instances = await cluster.startInstances({}, {});
    });
    after(async () => {
      await host.close();
      await cluster.close();
    });

    async function signedIn(service: ServiceProcess): Promise<Tokens> {
      const resource = `${service.origin}/mcp`;
      const form = { user_id: 'ada', org_id: 'acme', redirect_uri: 'https://agent.example/callback', resource };
      const { headers } = await service.fetch('/sign-in', { form });
      const code = new URL(headers.get('location') ?? '').searchParams.get('code') ?? '';
      return (await exchange(service, code)).body as Tokens;
    }

    async function request(service: ServiceProcess, { access_token }: Tokens, method: string, more: object = {}) {
      const client = new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode: 'auto' } });
      const requestInit = { headers: { authorization: `Bearer ${access_token}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL(`${service.origin}/mcp`), { requestInit }));
      const delivery = { mode: 'webhook', url: host.url, secret: host.secret };
      const params = { name: 'order.paid', arguments: {}, delivery, ...more };
      const result = await client.request({ method, params }, z.looseObject({}));
      await client.close();
      return result as unknown as Subscribed;
    }

    it('is known to all instances, gets what it has missed, and ends with the session on another one', async () => {
      const [one, other] = instances as [ServiceProcess, ServiceProcess];
      const type = { name: 'order.paid', description: 'An order was paid', schema: { type: 'object' } };
      await administratorOf(() => one).post('/event-types', type);
      const paid = (number: number) => publish(other, { orgId: 'acme', type: 'order.paid', data: { number } });
      const has = (number: number) =>
        until(() => host.events.some(({ body }) => body.data.number === number), `the event ${number}`);
      const tokens = await signedIn(one);
      const { id, cursor } = await request(one, tokens, 'events/subscribe');
      await paid(1);
      await has(1);
      expect((await request(other, tokens, 'events/subscribe', { cursor })).id).to.equal(id);
      await request(other, tokens, 'events/unsubscribe');
      await paid(2);
      expect(await request(one, tokens, 'events/subscribe', { cursor })).to.include({ id, truncated: false });
      await has(2);
      await paid(3);
      await has(3);
      await other.fetch('/revoke', { form: { token: tokens.refresh_token } });
      await until(() => host.terminated.length > 0, 'the notice that it has ended');
      await paid(4);
      const last = await signedIn(other);
      await request(other, last, 'events/subscribe', { arguments: {} });
      await paid(5);
      await has(5);
      expect(host.events.map(({ body }) => body.data.number)).not.to.include(4);
    });
  });
});
