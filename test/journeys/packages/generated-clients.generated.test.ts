import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { openApiDocument } from '../../../src/http/api-description/openapi-document.js';
import { allRoutes } from '../../../src/service/documentation/documentation.js';
import { webhooks } from '../../../src/service/documentation/webhooks.js';
import { oapiCodegen, openApiGenerator, redocly, run, spectral } from '../../support/generated-clients/tools.js';
import { installPythonPackages } from '../../support/python/install-python-packages.js';
import { signedCode } from '../../support/service/journey.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const sources = resolve('test/support/generated-clients'); // compiled tests are in `dist`

/** Output of the program in each language: parts of the answers to its calls. */
const answers = {
  example: { total: 42 },
  schema: { type: 'object', required: ['total'] },
  published: 'order-1',
  batch: ['accepted', 'rejected'],
  user: 'ada',
  active: true,
  filter: { 'data.total': { $gt: 40 } },
  transform: null,
  refused: 404,
};

describe('generated clients', function () {
  this.timeout(900_000);
  let service: ServiceProcess;
  let folder: string;
  let description: string;

  beforeEach(async () => {
    service = await startService();
    folder = temporaryDirectory();
    description = join(folder, 'openapi.json');
    writeFileSync(description, JSON.stringify((await service.fetch('/openapi.json')).body));
  });
  afterEach(() => service.stop());

  /** Runs a program that makes the calls with the generated client, and compares what it prints. */
  async function expectAnswers(program: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
    const printed = await run(program, args, {
      environment: {
        ...environment,
        ORIGIN: service.origin,
        ADMIN_KEY: readFileSync(join(service.dataDirectory, 'admin-key.txt'), 'utf8').trim(),
        CODE: await signedCode(service),
        HOOK_URL: 'http://127.0.0.1:4999/hook', // nothing listens there
      },
    });
    expect(JSON.parse(printed)).to.deep.equal(answers);
  }

  /** A copy of the Go module with the programs, beside which generators write the packages. */
  function goModule(): string {
    const module = join(folder, 'go');
    cpSync(join(sources, 'go'), module, { recursive: true });
    for (const name of ['flowhooks', 'oapi']) mkdirSync(join(module, name));
    return module;
  }

  async function expectGoAnswers(module: string, program: string) {
    const executable = join(module, 'calls');
    await run('go', ['vet', '-mod=readonly', `./${program}`], { cwd: module });
    await run('go', ['build', '-mod=readonly', '-o', executable, `./${program}`], { cwd: module });
    await expectAnswers(executable, []);
  }

  it('of openapi-generator, in Java, compile and make calls', async () => {
    const client = join(folder, 'java');
    await openApiGenerator('java', { description, folder: client });
    copyFileSync(join(sources, 'java/Calls.java'), join(client, 'src/main/java/Calls.java'));
    const goals = ['compile', 'dependency:copy-dependencies', '-DoutputDirectory=target/lib'];
    await run('mvn', ['--batch-mode', '--quiet', ...goals], { cwd: client });
    await expectAnswers('java', ['-cp', `${client}/target/classes:${client}/target/lib/*`, 'Calls']);
  });

  it('of openapi-generator, in Go, compile and make calls', async () => {
    const module = goModule();
    const options = [
      '--additional-properties=packageName=flowhooks,withGoMod=false',
      '--global-property=apiTests=false',
    ];
    await openApiGenerator('go', { description, folder: join(module, 'flowhooks'), options });
    await expectGoAnswers(module, 'openapi-generator');
  });

  it('of openapi-generator, in Python, make calls', async () => {
    const client = join(folder, 'python');
    const options = ['--additional-properties=packageName=flow_hooks_generated'];
    await openApiGenerator('python', { description, folder: client, options });
    const packages = installPythonPackages();
    await expectAnswers('python3', [join(sources, 'python/calls.py')], { PYTHONPATH: `${client}:${packages}` });
  });

  it('of oapi-codegen compile and make calls', async () => {
    const module = goModule();
    await oapiCodegen(description, join(module, 'oapi/client.go'));
    await expectGoAnswers(module, 'oapi-codegen');
  });

  it('have the types of the Go client, as its generator makes them again', async () => {
    const client = join(folder, 'client');
    cpSync(resolve('clients/go'), client, { recursive: true });
    const types = () => readFileSync(join(client, 'types.go'), 'utf8');
    const committed = types();
    await run('go', ['run', './internal/generate', service.origin], { cwd: client });
    expect(types()).to.equal(committed);
  });
});

describe('linters of API descriptions', function () {
  this.timeout(900_000);

  for (const development of [true, false]) {
    const http = { hooksPrefix: '/api/hooks', publicUrl: development ? undefined : 'https://hooks.flow.test' };
    it(`find nothing, ${development ? 'development' : 'production'} mode`, async () => {
      const folder = temporaryDirectory();
      const file = join(folder, 'openapi.json');
      const document = openApiDocument(allRoutes(http), { ...http, version: '1.0.0', development }, webhooks);
      writeFileSync(file, JSON.stringify(document));
      const ruleset = join(folder, 'spectral.json');
      writeFileSync(ruleset, '{"extends": ["spectral:oas"]}');
      expect(JSON.parse(await spectral(file, ruleset))).to.deep.equal([]);
      expect(JSON.parse(await redocly(file))).to.deep.include({ problems: [] });
    });
  }
});
