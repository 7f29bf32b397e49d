import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'chai';
import { type Receiver, startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { administratorOf } from '../../support/service/administrator.js';
import { runCliForJson } from '../../support/service/cli.js';
import { subscribe } from '../../support/service/journey.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';
import { until } from '../../support/until.js';

const page = readFileSync(resolve('docs/operations.md'), 'utf8');
const [slack = '', pagerDuty = ''] = [...page.matchAll(/^```jsonata\n(.*?)^```$/gms)].map(([, block = '']) => block);

describe('the recipes of docs/operations.md', function () {
  this.timeout(120_000);
  let service: ServiceProcess;
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
    receiver.answer(202);
    service = await startService();
  });
  after(async () => {
    await service.stop();
    await receiver.close();
  });
  const { post } = administratorOf(() => service);
  const sentTo = (path: string) =>
    receiver.received.filter((each) => each.path === path).map(({ body }) => JSON.parse(body) as object);

  it('send what Slack and PagerDuty accept, which resolves an incident when its listener is resumed', async () => {
    const hookUrl = (path: string) => ['--hook-url', `${receiver.origin}${path}`, '--type', 'listener.*'];
    const operations = ['operations', 'subscribe'];
    await runCliForJson(service.dataDirectory, ...operations, ...hookUrl('/slack'), '--transform', slack);
    await runCliForJson(service.dataDirectory, ...operations, ...hookUrl('/v2/enqueue'), '--transform', pagerDuty);
    const { listenerId } = await subscribe(service, `${receiver.origin}/watched`);
    await post(`/listeners/${listenerId}/pause`);
    await until(() => sentTo('/slack').length === 1 && sentTo('/v2/enqueue').length === 1, 'the pause');
    await post(`/listeners/${listenerId}/resume`);
    await until(() => sentTo('/slack').length === 2 && sentTo('/v2/enqueue').length === 2, 'the resume');

    const host = new URL(receiver.origin).host;
    expect(sentTo('/slack')[0]).to.have.keys('text');
    expect(JSON.stringify(sentTo('/slack')[0]))
      .to.match(/listener\.paused: .* of acme \(operator\)/)
      .and.include(host);
    const [paused, resumed] = sentTo('/v2/enqueue');
    expect(paused).to.deep.include({ routing_key: 'YOUR-ROUTING-KEY', event_action: 'trigger', dedup_key: listenerId });
    expect(paused).to.have.nested.property('payload.severity', 'error');
    expect(paused).to.have.nested.property('payload.source', 'flow-hooks');
    expect(resumed).to.deep.include({ event_action: 'resolve', dedup_key: listenerId });
  });
});
