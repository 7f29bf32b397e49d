import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { binaryEvent, EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { expect } from 'chai';
import { documentedBlocks } from '../../support/documented-blocks.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { ownEnvironment } from '../../support/own-environment.js';
import { type Receiver, startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { administratorOf } from '../../support/service/administrator.js';
import { type Cluster, startCluster } from '../../support/service/cluster.js';
import { subscribe } from '../../support/service/journey.js';
import type { ServiceProcess } from '../../support/service/service.js';
import { until } from '../../support/until.js';

const run = promisify(execFile);
const project = fileURLToPath(new URL('../../../../', import.meta.url));

onMongoDb('flow events that producers append to EventStoreDB', (mongoDb) => {
  describe('flow events that producers append to EventStoreDB as docs/publish.md says', function () {
    this.timeout(240_000);
    let cluster: Cluster;
    let service: ServiceProcess;
    let receiver: Receiver;
    let client: EventStoreDBClient;

    before(async () => {
      receiver = await startReceiver();
      cluster = await startCluster(mongoDb);
      service = await cluster.startInstance();
      client = EventStoreDBClient.connectionString(cluster.eventStoreDb.url);
      await subscribe(service, `${receiver.origin}/hook`, { subscriptionType: '*', ordered: true });
    });
    after(async () => {
      await client.dispose();
      await cluster.close();
      await receiver.close();
    });

    /** Runs the documented program, as a producer would. */
    async function runDocumented(): Promise<void> {
      const env = { ...ownEnvironment(), EVENTSTOREDB_URL: cluster.eventStoreDb.url };
      for (const block of documentedBlocks('docs/publish.md', 'js'))
        await run(process.execPath, ['--input-type=module', '-e', block], { cwd: project, env });
    }

    const delivered = () => receiver.received.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
    /** Resolves once an event that was appended after all others has arrived: the listener is ordered. */
    async function untilPassed(): Promise<void> {
      const id = randomUUID();
      await client.appendToStream(`flow-${id}`, [jsonEvent({ id, type: 'last', data: { orgId: 'acme' } })]);
      await until(() => delivered().some((each) => each.id === id), 'the last event');
    }
    const deliveredOf = (type: string) => delivered().filter((each) => each.type === type);

    it('are delivered, once for each UUID', async () => {
      await runDocumented();
      await runDocumented();
      await untilPassed();
      expect(deliveredOf('order.paid')).to.deep.equal([
        {
          id: 'order-6-paid',
          type: 'order.paid',
          timestamp: '2026-01-02T03:04:05Z',
          orgId: 'acme',
          flowId: 'order-6',
          data: { total: 42 },
        },
      ]);
    });

    it('are delivered once although a repeat is recorded again, and twice with two UUIDs', async () => {
      const event = (id: string) => jsonEvent({ id, type: 'repeated', data: { orgId: 'acme', id: 'same', data: 1 } });
      const [first, second] = [randomUUID(), randomUUID()];
      for (const stream of ['flow-one', 'flow-other']) await client.appendToStream(stream, [event(first)]);
      await client.appendToStream('flow-one', [event(second)]);
      await untilPassed();
      expect(deliveredOf('repeated').map(({ id }) => id)).to.deep.equal(['same', 'same']);
    });

    it('have defaults for all fields but orgId, and deliver the remaining ones', async () => {
      const id = randomUUID();
      const data = { orgId: 'acme', id: 7, total: 42, currency: 'EUR' };
      const metadata = { recordedAt: '2026-01-02T03:04:05.000Z' };
      await client.appendToStream('flow-shop', [jsonEvent({ id, type: 'plain', data, metadata })]);
      await untilPassed();
      expect(deliveredOf('plain')).to.deep.equal([
        {
          id,
          type: 'plain',
          timestamp: '2026-01-02T03:04:05.000Z',
          orgId: 'acme',
          flowId: 'shop',
          data: { id: 7, total: 42, currency: 'EUR' },
        },
      ]);
    });

    it('are set aside without orgId, with that of another organisation than the first of the stream, or without JSON', async () => {
      const append = (stream: string, event: Parameters<typeof client.appendToStream>[1]) =>
        client.appendToStream(stream, event);
      await append('flow-a', jsonEvent({ type: 'set.aside', data: { total: 1 } }));
      await append('flow-b', jsonEvent({ type: 'first', data: { orgId: 'acme' } }));
      await append('flow-b', jsonEvent({ type: 'set.aside', data: { orgId: 'other' } }));
      await append('flow-c', binaryEvent({ type: 'set.aside', data: Buffer.from([0, 1, 2]) }));
      await untilPassed();
      const { body } = await administratorOf(() => service).get('/set-aside');
      const streams = (body as { items: readonly { stream: string }[] }).items.map(({ stream }) => stream);
      expect(streams).to.have.members(['flow-a', 'flow-b', 'flow-c']);
      expect(deliveredOf('set.aside')).to.deep.equal([]);
    });

    it('are joined by batches over HTTP, of which each event is recorded once, also if the batch is repeated', async () => {
      const batch = Array.from({ length: 300 }, (_, index) => ({
        orgId: 'acme',
        type: 'batched',
        id: `batched-${index}`,
        flowId: `flow-${index % 250}`,
        data: index,
      }));
      for (const json of [batch.slice(0, 120), batch, batch]) {
        const { status, body } = await service.fetch('/api/flows/batch', { json });
        expect(status).to.equal(202);
        expect(body).to.include({ accepted: json.length, rejected: 0 });
      }
      const ids = () => new Set(deliveredOf('batched').map(({ id }) => id));
      await until(() => ids().size === 300, 'all events at the listener');
      let recorded = 0;
      for await (const { event } of client.readAll()) if (event?.type === 'batched') recorded += 1;
      expect(recorded).to.equal(300);
    });
  });
});
