import { expect } from 'chai';
import { filesWith } from '../../support/files-with.js';
import { type Receiver, startReceiver } from '../../support/hooks/receiver.js';
import { runCli, runCliForJson } from '../../support/service/cli.js';
import { publish, subscribe } from '../../support/service/journey.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';
import { until } from '../../support/until.js';

describe('a retention of flow events, from outside', function () {
  this.timeout(120_000);
  let service: ServiceProcess;
  let hook: Receiver;

  before(async () => {
    hook = await startReceiver();
    service = await startService({ environment: { FLOW_RETENTION: '1s' } });
  });
  after(async () => {
    await service.stop();
    await hook.close();
  });

  it('deletes what is old from the history, and delivers it no second time', async () => {
    const orgId = 'acme';
    await subscribe(service, `${hook.origin}/kept`, { orgId });
    await publish(service, { orgId, id: 'old', type: 'flow.done', data: 'what nobody needs any more' });
    await hook.has(1);
    await service.stop(); // it looks for what is old at its start, and then every minute
    await until(() => Date.now() - (hook.received[0]?.at ?? 0) > 1_500, 'the event to be old');
    service = await startService({ dataDirectory: service.dataDirectory, environment: { FLOW_RETENTION: '1s' } });
    const events = () =>
      filesWith(service.dataDirectory, ['what nobody needs']).filter((path) => path.includes('events.db'));
    await until(() => events().length === 0, 'the event to be deleted');

    await publish(service, { orgId, id: 'old', type: 'flow.done', data: 'again' });
    await publish(service, { orgId, id: 'new', type: 'flow.done', data: 'new' });
    await hook.has(2);
    expect(hook.received.map(({ body }) => (JSON.parse(body) as { id: string }).id)).to.deep.equal(['old', 'new']);
    const [explained] = await runCliForJson(service.dataDirectory, 'flows', 'explain', 'old', '--org', orgId);
    expect(JSON.stringify(explained)).to.include('delivered');
    const verified = await runCli(service.dataDirectory, 'audit', 'verify');
    expect(verified.code, verified.stderr).to.equal(0);
  });
});
