import { expect } from 'chai';
import { startConnectProxy } from '../../support/receivers-of-listeners/connect-proxy.js';
import { startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { publish, subscribe } from '../../support/service/journey.js';
import { startService } from '../../support/service/service.js';
import { until } from '../../support/until.js';

describe('a service behind an egress proxy', function () {
  this.timeout(120_000);

  it('delivers through it, waits while it refuses, and never logs its password', async () => {
    const proxy = await startConnectProxy({ credentials: 'ada:password-of-the-proxy' });
    const receiver = await startReceiver(0, { keepAlive: false });
    const service = await startService({ environment: { EGRESS_PROXY: proxy.url, LOG_LEVEL: 'info' } });
    await subscribe(service, `${receiver.origin}/hook`);
    await publish(service, { type: 'flow.done', data: {} });
    await receiver.has(1);
    expect(proxy.asked).to.eql([new URL(receiver.origin).host]);
    proxy.answer(407);
    await publish(service, { type: 'flow.done', data: {} });
    await until(async () => {
      const { body } = await service.fetch('/readyz');
      return JSON.stringify(body).includes('the egress proxy opens no tunnel');
    }, 'the reason of the wait');
    proxy.answer(200);
    await receiver.has(2);
    await service.stop();
    expect(service.printed())
      .to.match(/go through this proxy/)
      .and.not.include('password-of-the-proxy');
    await proxy.close();
    await receiver.close();
  });
});
