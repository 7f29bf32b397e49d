import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';
import { reusablePort } from '../../eventstoredb-double/src/reusable-port.js';
import { documentedBlocks } from '../../support/documented-blocks.js';
import { ownEnvironment } from '../../support/own-environment.js';
import {
  installPackage,
  mypyCache,
  packageFolder,
  python,
  pythonCases,
  runCases,
  withPythonRequirements,
} from '../../support/packages/python-client.js';
import { type RunningProcess, startProcess } from '../../support/process.js';
import { administratorOf } from '../../support/service/administrator.js';
import { subscribe } from '../../support/service/journey.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { until } from '../../support/until.js';

/** Programs of the README, in its order. */
const programs = ['publish', 'operate', 'subscribe', 'receive'];

withPythonRequirements('the Python client', (requirements) => {
  const folder = temporaryDirectory();
  const program = (name: string) => join(folder, `${name}.py`);
  let service: ServiceProcess;
  let installed: string;
  let outcomes: Readonly<Record<string, string>>;
  let port: number;

  before(async () => {
    [service, installed, port] = await Promise.all([
      // A batch of 1,000 events is all that an organisation may publish in two seconds.
      startService({ environment: { RATE_LIMIT_EVENTS: '1000/2s' } }),
      installPackage(requirements),
      reusablePort(),
    ]);
    outcomes = await runCases({
      PYTHONPATH: packages(),
      FLOW_HOOKS_URL: service.origin,
      FLOW_HOOKS_ADMIN_KEY: adminKey(),
    });
    const blocks = documentedBlocks('clients/python/README.md', 'python');
    expect(blocks).to.have.length(programs.length);
    for (const [index, name] of programs.entries()) {
      const block = (blocks[index] ?? '').replace('4000', String(port));
      writeFileSync(program(name), block.replace('https://hooks.example.com', service.origin));
    }
  });
  after(() => service?.stop());

  const packages = () => [installed, requirements].join(delimiter);
  const adminKey = () => readFileSync(join(service.dataDirectory, 'admin-key.txt'), 'utf8').trim();
  const { get, post } = administratorOf(() => service);

  describe('as pip installs it', () => {
    for (const { id, sentence } of pythonCases())
      it(sentence, () => expect(outcomes[id] ?? JSON.stringify(outcomes)).to.equal('ok'));

    it('has its types, without its tests and tools', () => {
      expect(readdirSync(installed).sort()).to.deep.equal(['flow_hooks', 'flow_hooks_client-1.0.0.dist-info']);
      expect(readdirSync(join(installed, 'flow_hooks'))).to.include.members(['api', 'py.typed']);
    });

    it('has reached the service, where each of its tests has left an organisation', async () => {
      const { body } = await get('/organisations?limit=1000');
      const organisations = (body as { items: readonly { orgId: string }[] }).items;
      const ofService = pythonCases().filter(({ id }) => id.startsWith('tests.test_service.'));
      expect(ofService.length).to.be.at.least(10);
      expect(organisations.filter(({ orgId }) => orgId.startsWith('org-'))).to.have.length(ofService.length);
    });
  });

  it('is in step with the routes that the service describes', async () => {
    const made = temporaryDirectory();
    const source = `${service.origin}/openapi.json`;
    await python(['tools/generate.py', source, made], { PYTHONPATH: requirements });
    const committed = join(packageFolder, 'src/flow_hooks/api');
    const modulesIn = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.py'));
    expect(modulesIn(made)).to.have.members(modulesIn(committed));
    for (const name of readdirSync(made)) {
      const isSame = readFileSync(join(made, name), 'utf8') === readFileSync(join(committed, name), 'utf8');
      expect(isSame, `${name}: run python tools/generate.py in clients/python with a running service`).to.equal(true);
    }
  });

  it('has types that mypy accepts in strict mode, also in its tests, its tools and the programs of its README', async () => {
    const files = ['src', 'tests', 'tools', ...programs.map(program)];
    await python(['-m', 'mypy', '--cache-dir', mypyCache, ...files], { PYTHONPATH: requirements });
  });

  it('is formatted by black', () => python(['-m', 'black', '--check', '.'], { PYTHONPATH: requirements }));

  describe('the programs of its README', () => {
    let receiver: RunningProcess | undefined;
    after(async () => {
      await receiver?.stop();
    });

    it('subscribe, publish, receive and verify, explain and replay', async () => {
      const PYTHONPATH = packages();
      const { signingSecret } = await subscribe(service, `http://127.0.0.1:${port}/hook`, {
        subscriptionType: 'order.*',
      });
      const env = { ...ownEnvironment(), PYTHONPATH, SIGNING_SECRETS: `whsec_b3RoZXI= ${signingSecret}` };
      receiver = startProcess('python3', ['-B', program('receive')], { env });
      const { stdout } = receiver;

      const scopes = ['flows:publish', 'listeners:write'];
      const FLOW_HOOKS_KEY = (
        (await post('/api-keys', { name: 'shop', orgId: 'acme', scopes })).body as { key: string }
      ).key;
      expect(await python([program('subscribe')], { PYTHONPATH, FLOW_HOOKS_KEY })).to.equal('True\n');
      const published = await python([program('publish')], { PYTHONPATH, FLOW_HOOKS_KEY });
      expect(published).to.equal('order-4711-paid\norder-2-paid invalid_request\n');
      const arrived = (text: string) =>
        stdout()
          .split('\n')
          .filter((line) => line === text).length;
      const lines = ["order-4711-paid order.paid {'total': 42}", "order-1-paid order.paid {'total': 3}"];
      await until(() => lines.every((line) => arrived(line) === 1), 'both deliveries');
      const listed = async () => ((await get('/flows?orgId=acme')).body as { items: readonly unknown[] }).items;
      await until(async () => (await listed()).length === 2, 'the list of flow events');

      const operated = await python([program('operate')], { PYTHONPATH, FLOW_HOOKS_ADMIN_KEY: adminKey() });
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
      const started = python([program('receive')], { PYTHONPATH: packages() });
      expect(await started.catch((error: Error) => error.message)).to.include("KeyError: 'SIGNING_SECRETS'");
      const forged = { 'webhook-id': '1', 'webhook-timestamp': `${Math.floor(Date.now() / 1_000)}` };
      const headers = { ...forged, 'webhook-signature': 'v1,AAAA' };
      const { status } = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body: '{}' });
      expect(status).to.equal(401);
    });
  });
});
