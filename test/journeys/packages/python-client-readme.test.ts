import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';
import { documentedBlocks } from '../../support/documented-blocks.js';
import { ownEnvironment } from '../../support/own-environment.js';
import { mypyCache, packageFolder, python, withPythonRequirements } from '../../support/packages/python-client.js';
import { administratorOf } from '../../support/service/administrator.js';
import { subscribe } from '../../support/service/journey.js';
import { reusablePort } from '../../support/service/reusable-port.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { until } from '../../support/until.js';

const programs = ['publish', 'operate', 'subscribe', 'receive'];

withPythonRequirements('the programs of clients/python/README.md', (requirements) => {
  const folder = temporaryDirectory();
  const program = (name: string) => join(folder, `${name}.py`);
  const PYTHONPATH = [join(packageFolder, 'src'), requirements].join(delimiter);
  let service: ServiceProcess;
  let receiver: ChildProcess | undefined;
  let port: number;

  before(async () => {
    [service, port] = await Promise.all([startService(), reusablePort()]);
    const blocks = documentedBlocks('clients/python/README.md', 'python');
    expect(blocks).to.have.length(programs.length);
    for (const [index, name] of programs.entries()) {
      const block = blocks[index] ?? '';
      writeFileSync(
        program(name),
        block.replace('4000', String(port)).replace('https://hooks.example.com', service.origin),
      );
    }
  });
  after(async () => {
    if (receiver?.kill()) await once(receiver, 'exit');
    await service?.stop();
  });

  it('are accepted by mypy in strict mode', async () => {
    await python(['-m', 'mypy', '--strict', '--cache-dir', mypyCache('readme'), ...programs.map(program)], {
      PYTHONPATH: requirements,
      MYPYPATH: join(packageFolder, 'src'),
    });
  });

  it('subscribe, publish, receive and verify, explain and replay', async () => {
    const { signingSecret } = await subscribe(service, `http://127.0.0.1:${port}/hook`, {
      subscriptionType: 'order.*',
    });
    let received = '';
    const env = { ...ownEnvironment(), PYTHONPATH, SIGNING_SECRETS: `whsec_b3RoZXI= ${signingSecret}` };
    receiver = spawn('python3', ['-B', program('receive')], { env, stdio: ['ignore', 'pipe', 'ignore'] });
    receiver.stdout?.on('data', (chunk: Buffer) => {
      received += chunk.toString();
    });

    const key = { name: 'shop', orgId: 'acme', scopes: ['flows:publish', 'listeners:write'] };
    const { body } = await administratorOf(() => service).post('/api-keys', key);
    const FLOW_HOOKS_KEY = (body as { key: string }).key;
    expect(await python([program('subscribe')], { PYTHONPATH, FLOW_HOOKS_KEY })).to.equal('True\n');
    const published = await python([program('publish')], { PYTHONPATH, FLOW_HOOKS_KEY });
    expect(published).to.equal('order-4711-paid\norder-2-paid invalid_request\n');
    const arrived = (text: string) => received.split('\n').filter((line) => line === text).length;
    const lines = ["order-4711-paid order.paid {'total': 42}", "order-1-paid order.paid {'total': 3}"];
    await until(() => lines.every((line) => arrived(line) === 1), 'both deliveries');
    const listed = async () =>
      ((await administratorOf(() => service).get('/flows?orgId=acme')).body as { items: readonly unknown[] }).items;
    await until(async () => (await listed()).length === 2, 'the list of flow events');

    const FLOW_HOOKS_ADMIN_KEY = readFileSync(join(service.dataDirectory, 'admin-key.txt'), 'utf8').trim();
    const operated = await python([program('operate')], { PYTHONPATH, FLOW_HOOKS_ADMIN_KEY });
    expect(operated.split('\n')).to.include.members([
      'order-1-paid order.paid',
      'order-4711-paid order.paid',
      'completed 2',
      '100 %',
    ]);
    expect(operated).to.match(/^\S+ delivered the listener answered 204 /m);
    expect(operated).to.match(/'attempts': \d+,/);
    await until(() => lines.every((line) => arrived(line) === 2), 'the replay');
  });

  it('do not start to receive without signing secrets, and answer a wrong signature with 401', async () => {
    const started = await python([program('receive')], { PYTHONPATH }).catch((error: Error) => error.message);
    expect(started).to.include("KeyError: 'SIGNING_SECRETS'");
    const forged = { 'webhook-id': '1', 'webhook-timestamp': `${Math.floor(Date.now() / 1_000)}` };
    const headers = { ...forged, 'webhook-signature': 'v1,AAAA' };
    const { status } = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body: '{}' });
    expect(status).to.equal(401);
  });
});
