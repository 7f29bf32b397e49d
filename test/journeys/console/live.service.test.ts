import { expect } from 'chai';
import { openStream } from '../../support/console/server-sent-events.js';
import { publish } from '../../support/service/journey.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';
import { until } from '../../support/until.js';

type Message = { parts: Readonly<Record<string, string>>; isStale: boolean };

describe('live updates of the console, from outside', () => {
  let service: ServiceProcess;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop('SIGKILL'));

  it('show changes to a streaming viewer and to a polling one', async () => {
    const stream = await openStream(`${service.origin}/console/live/`);
    const first = (await stream.next()) as Message;
    expect(first.isStale).to.equal(false);
    expect(first.parts['live-figures']).to.include('>0 in 1 h<');
    expect(first.parts['live-charts']).to.include('No flow event has been published yet');
    await publish(service, { type: 'flow.completed', data: {} });
    await until(async () => {
      const { parts } = (await stream.next()) as Message;
      return parts['live-figures']?.includes('>1 in 1 h<') === true;
    }, 'an update with the flow event');
    stream.close();
    const { body } = await service.fetch('/console/live/');
    expect((body as Message).parts['live-figures']).to.include('>1 in 1 h<');
  });

  it('do not keep the service from stopping, and end', async () => {
    const streams = await Promise.all(
      ['', 'health'].map((path) => openStream(`${service.origin}/console/live/${path}`)),
    );
    for (const { next } of streams) expect(await next()).not.to.equal(undefined);
    expect(await service.stop('SIGTERM')).to.deep.equal({ code: 0, signal: null });
    for (const { next } of streams) {
      let message = await next();
      while (message !== undefined) message = await next();
    }
  });
});
