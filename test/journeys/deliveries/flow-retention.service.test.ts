import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { filesWith } from '../../support/files-with.js';
import { type Receiver, startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { runCli, runCliForJson } from '../../support/service/cli.js';
import { publish, subscribe } from '../../support/service/journey.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';
import { until } from '../../support/until.js';

describe('a retention of flow events, from outside', function () {
  this.timeout(480_000);
  let service: ServiceProcess;
  let receiver: Receiver;

  before(async () => {
    receiver = await startReceiver();
    service = await startService({ environment: { FLOW_RETENTION: '1s' } });
  });
  after(async () => {
    await service.stop();
    await receiver.close();
  });

  it('deletes old events from the history, and delivers none twice', async () => {
    const orgId = 'acme';
    await subscribe(service, `${receiver.origin}/kept`, { orgId });
    await publish(service, { orgId, id: 'old', type: 'flow.done', data: 'what nobody needs any more' });
    await receiver.has(1);
    await service.stop(); // it looks for what is old at its start, and then every minute
    await until(() => Date.now() - (receiver.received[0]?.at ?? 0) > 1_500, 'the event to be old');
    service = await startService({ dataDirectory: service.dataDirectory, environment: { FLOW_RETENTION: '1s' } });
    const events = () =>
      filesWith(service.dataDirectory, ['what nobody needs']).filter((path) => path.includes('events.db'));
    await until(() => events().length === 0, 'the event to be deleted', { limitMs: 90_000 });

    await publish(service, { orgId, id: 'old', type: 'flow.done', data: 'again' });
    await publish(service, { orgId, id: 'new', type: 'flow.done', data: 'new' });
    await receiver.has(2);
    expect(receiver.received.map(({ body }) => (JSON.parse(body) as { id: string }).id)).to.deep.equal(['old', 'new']);
    const [explained] = await runCliForJson(service.dataDirectory, 'flows', 'explain', 'old', '--org', orgId);
    expect(JSON.stringify(explained)).to.include('delivered');
    const verified = await runCli(service.dataDirectory, 'audit', 'verify');
    expect(verified.code, verified.stderr).to.equal(0);
  });

  it('knows an id for PUBLISH_MEMORY, also after its stream and its delivery: then it is a new event', async () => {
    const directory = service.dataDirectory;
    const orgId = 'globex';
    const short = { FLOW_RETENTION: '1s', DELIVERY_RETENTION: '1s', RETRY_SCHEDULE: '1s' };
    await subscribe(service, `${receiver.origin}/globex`, { orgId });
    const received = () => receiver.received.filter(({ body }) => body.includes(`"orgId":"${orgId}"`)).length;
    await publish(service, { orgId, id: 'repeated', type: 'flow.done', data: 'globex writes this once' });
    await until(() => received() === 1, 'the first delivery');

    const restart = async (memory: string) => {
      await service.stop();
      service = await startService({ dataDirectory: directory, environment: { ...short, PUBLISH_MEMORY: memory } });
    };
    const kept = () => filesWith(directory, ['globex writes this once']);
    const bodies = () => {
      const queue = new Database(join(directory, 'deliveries.db'), { readonly: true });
      const found = queue.prepare("SELECT count(*) FROM messages WHERE body LIKE '%globex writes this once%'");
      const count = found.pluck().get();
      queue.close();
      return count;
    };
    const deliveries = () => runCliForJson(directory, 'deliveries', 'list', '--org', orgId);
    const explained = () => runCli(directory, 'flows', 'explain', 'repeated', '--org', orgId);
    await until(() => Date.now() - (receiver.received.at(-1)?.at ?? 0) > 1_500, 'the event to be old');
    await restart('1h');
    // After the start the next look is a minute later: it waits if the fan-out was not yet past the event.
    const isInHistory = () => kept().some((path) => path.includes('events.db'));
    await until(() => !isInHistory(), 'the stream to be deleted', { limitMs: 90_000 });
    await until(async () => (await deliveries()).length === 0, 'the delivery to be deleted', { everyMs: 500 });
    // Unlike an erasure, a retention leaves copies in the free space of the file.
    await until(() => bodies() === 0, 'no row to hold the event', { limitMs: 240_000 }); // up to three looks, if files are busy
    await publish(service, { orgId, id: 'repeated', type: 'flow.done', data: 'again' });
    await publish(service, { orgId, id: 'other', type: 'flow.done', data: 'other' });
    await until(() => received() === 2, 'the delivery of another event');
    expect(receiver.received.some(({ body }) => body.includes('"again"'))).to.equal(false);

    await until(() => Date.now() - (receiver.received.at(-1)?.at ?? 0) > 2_500, 'all of it to be old');
    await restart('2s');
    await until(async () => (await explained()).code !== 0, 'the id to be forgotten');
    await publish(service, { orgId, id: 'repeated', type: 'flow.done', data: 'as a new event' });
    await until(() => receiver.received.some(({ body }) => body.includes('as a new event')), 'the new event');
  });
});
