import { readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';
import {
  installPackage,
  mypyCache,
  packageFolder,
  python,
  pythonCases,
  runCases,
  withPythonRequirements,
} from '../../support/packages/python-client.js';
import { administratorOf } from '../../support/service/administrator.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

withPythonRequirements('the Python client', (requirements) => {
  let service: ServiceProcess;
  let installed: string;
  let outcomes: Readonly<Record<string, string>>;

  before(async () => {
    [service, installed] = await Promise.all([
      // A batch of 1,000 events is all that an organisation may publish in two seconds.
      startService({ environment: { RATE_LIMIT_EVENTS: '1000/2s' } }),
      installPackage(requirements),
    ]);
    outcomes = await runCases({
      PYTHONPATH: [installed, requirements].join(delimiter),
      FLOW_HOOKS_URL: service.origin,
      FLOW_HOOKS_ADMIN_KEY: readFileSync(join(service.dataDirectory, 'admin-key.txt'), 'utf8').trim(),
    });
  });
  after(() => service?.stop());

  describe('as pip installs it', () => {
    for (const { id, sentence } of pythonCases())
      it(sentence, () => expect(outcomes[id] ?? JSON.stringify(outcomes)).to.equal('ok'));

    it('has its types, without its tests and tools', () => {
      expect(readdirSync(installed).sort()).to.deep.equal(['flow_hooks', 'flow_hooks_client-1.0.0.dist-info']);
      expect(readdirSync(join(installed, 'flow_hooks'))).to.include.members(['api', 'py.typed']);
    });

    it('has reached the service, where each of its tests has left an organisation', async () => {
      const { body } = await administratorOf(() => service).get('/organisations?limit=1000');
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

  it('has types that mypy accepts in strict mode, also in its tests and tools', async () => {
    await python(['-m', 'mypy', '--cache-dir', mypyCache('client')], { PYTHONPATH: requirements });
  });

  it('is formatted by black', () => python(['-m', 'black', '--check', '.'], { PYTHONPATH: requirements }));
});
