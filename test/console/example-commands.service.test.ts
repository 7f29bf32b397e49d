import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { exampleCommands } from '../../src/site/example-commands.js';
import { consolePages } from '../support/console/pages.js';
import { productionConsole } from '../support/console/production-console.js';
import { type ServiceProcess, startService } from '../support/service/service.js';

const run = async (command: string, environment: Readonly<Record<string, string>> = {}) =>
  (await promisify(execFile)('/bin/sh', ['-c', command], { env: { ...process.env, ...environment } })).stdout;

/** The commands on a page, as they are copied. */
const commandsOn = (html: string): readonly string[] =>
  [...html.matchAll(/data-copy="([^"]*)"/g)].map(([, text = '']) =>
    text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&'),
  );

describe('the commands on pages that have nothing to show yet', function () {
  this.timeout(120_000);
  let service: ServiceProcess;
  afterEach(() => service.stop());

  it('work as they are copied in development mode, on any port and directory', async () => {
    service = await startService();
    const { get } = consolePages(() => service);
    const [publish = 'false'] = commandsOn((await get('')).html);
    const [subscribe = 'false'] = commandsOn((await get('/listeners')).html);
    expect(commandsOn((await get('/organisations')).html)).to.deep.equal([subscribe]);
    expect(JSON.parse(await run(`${subscribe} -s`))).to.include({ subscriptionType: 'flow.*', orgId: 'acme' });
    expect(publish).to.include(service.dataDirectory);
    await run(publish);
    expect((await service.fetch('/console/listeners')).body).to.include('hooks.example.com');
  });

  it('register a listener with an admin key in production mode, which believes no header', async () => {
    const { environment, origin } = await productionConsole({ ADMIN_KEYS: 'ada:an-admin-key-of-ada' });
    service = await startService({ environment });
    const { subscribe, cli } = exampleCommands(
      { mode: 'production', http: { hooksPrefix: '/api/hooks' }, dataDirectory: '/data' },
      origin,
    );
    const key = 'an-admin-key-of-ada';
    const headers = { authorization: `Bearer ${key}` };
    for (const change of ['register', 'activate'])
      await service.fetch(`/admin/api/tasks/${change}`, { method: 'POST', headers, json: { orgId: null } });
    const reachable = subscribe.replace('hooks.example.com', '1.1.1.1'); // a name is resolved
    const answer = JSON.parse(await run(`${reachable} -s`, { ADMIN_KEY: key }));
    expect(answer.orgId).to.equal('acme');
    expect(answer.signingSecret).to.match(/^whsec_/);
    expect(cli('tasks register')).to.equal('flow-hooks tasks register');
  });
});
