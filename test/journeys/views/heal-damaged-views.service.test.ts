import { closeSync, fstatSync, openSync, readdirSync, rmSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Receiver, startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { runCli, runCliForJson } from '../../support/service/cli.js';
import { publish, subscribe } from '../../support/service/journey.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';
import { until } from '../../support/until.js';

const pageBytes = 8_192;

describe('a service whose views are damaged', function () {
  this.timeout(120_000);
  let service: ServiceProcess;
  let receiver: Receiver;

  before(async () => {
    receiver = await startReceiver();
    service = await startService();
  });
  after(async () => {
    await service.stop();
    await receiver.close();
  });

  const folder = () => join(service.dataDirectory, 'read-models');
  const filesOf = (view: string) =>
    readdirSync(folder())
      .filter((entry) => entry.startsWith(`${view}-v`) && entry.endsWith('.db'))
      .sort();
  const setAside = () => readdirSync(folder()).filter((entry) => entry.endsWith('.damaged'));
  const isReady = async () => (await service.fetch('/readyz')).status === 200;

  it('starts, rebuilds the views from the events, and delivers', async () => {
    await subscribe(service, `${receiver.origin}/one`);
    await publish(service, { id: 'before', type: 'flow.done', data: 1 });
    await receiver.has(1);
    await service.stop();
    const files = readdirSync(folder()).filter((entry) => entry.endsWith('.db'));
    for (const file of files) truncateSync(join(folder(), file), 0);

    service = await startService({ dataDirectory: service.dataDirectory });
    await until(isReady, 'readiness');
    await publish(service, { id: 'after', type: 'flow.done', data: 2 });
    await receiver.has(2);
    await until(() => service.printed().includes('the view was damaged'), 'the log to report the damage');
    const listed = await runCliForJson(service.dataDirectory, 'listeners', 'list', '--org', 'acme');
    expect(listed).to.have.length(1);
  });

  it('heals a view that is overwritten while it runs, where a command meets the damage', async () => {
    for (let count = 0; count < 40; count += 1) await subscribe(service, `${receiver.origin}/more/${count}`);
    await service.stop(); // moves the log into the file
    service = await startService({ dataDirectory: service.dataDirectory });
    await until(isReady, 'readiness');
    for (const entry of setAside()) rmSync(join(folder(), entry)); // as an operator who has examined them
    const name = filesOf('listeners').at(-1) ?? ''; // earlier builds may not have been dropped yet
    const file = openSync(join(folder(), name), 'r+');
    const { size } = fstatSync(file);
    writeSync(file, Buffer.alloc(size - pageBytes, 'x'), 0, size - pageBytes, pageBytes);
    closeSync(file);

    const list = () => runCli(service.dataDirectory, '--json', 'listeners', 'list', '--org', 'acme');
    await until(async () => {
      const { code, stdout } = await list();
      return code === 0 && stdout.trim().split('\n').length === 41;
    }, 'the list of listeners');
    expect(setAside()).to.deep.equal([`${name}.damaged`]);
    await until(isReady, 'readiness');
    await subscribe(service, `${receiver.origin}/last`);
    await publish(service, { id: 'to all', type: 'flow.done', data: 3 });
    await receiver.has(2 + 42);
  });
});
