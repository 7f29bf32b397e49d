import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { reusablePort } from '../../eventstoredb-double/src/reusable-port.js';
import { documentedBlocks } from '../../support/documented-blocks.js';
import { startProcess } from '../../support/process.js';
import { needs } from '../../support/run/programs.js';
import { administratorOf } from '../../support/service/administrator.js';
import { subscribe } from '../../support/service/journey.js';
import { type SharedService, sharedService } from '../../support/service/shared-service.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { until } from '../../support/until.js';

const run = promisify(execFile);
const packageFolder = resolve('clients/go');
/** Go compiles its own standard library at the first build on a machine. */
const limitMs = 300_000;

/** Resolves to what it prints, also if tests fail. Rejects, with its output, if it fails otherwise. */
async function go(args: readonly string[], environment: Readonly<Record<string, string>> = {}, cwd = packageFolder) {
  const env = { ...process.env, GOFLAGS: '-mod=mod', GOPROXY: 'off', ...environment };
  const options = { cwd, env, timeout: limitMs, maxBuffer: 16_777_216 };
  return run('go', args, options).catch((error: Error & { stdout: string; stderr: string }) => {
    if (args[0] === 'test') return error;
    throw new Error(`go ${args.join(' ')}\n${error.stdout}${error.stderr}`, { cause: error });
  });
}

/** The tests of the package, with a sentence made from the name. */
const goTests = readdirSync(packageFolder)
  .filter((name) => name.endsWith('_test.go'))
  .flatMap((name) => [...readFileSync(join(packageFolder, name), 'utf8').matchAll(/^func (Test(\w+))\(/gm)])
  .map(([, name = '', words = '']) => ({ name, sentence: sentenceOf(words) }));

/** `RepeatsUnderTheSameID` as words. */
function sentenceOf(name: string): string {
  const words = name.match(/[A-Z](?=[A-Z][a-z])|[A-Z]{2,}\d*(?![a-z])|[A-Z][a-z0-9]*/g) ?? [];
  return words.map((word) => (/^[A-Z]{2}/.test(word) ? word : word.toLowerCase())).join(' ');
}

const programs = ['publish', 'operate', 'receive'] as const;

/** Compiles the programs of the README, which use the package as users do. Resolves to their folder. */
async function compiledPrograms(replacements: Readonly<Record<string, string>>): Promise<string> {
  const folder = temporaryDirectory();
  const module = /^module (\S+)$/m.exec(readFileSync(join(packageFolder, 'go.mod'), 'utf8'))?.[1];
  const lines = ['module programs', 'go 1.24', `require ${module} v1.0.0`, `replace ${module} => ${packageFolder}`];
  writeFileSync(join(folder, 'go.mod'), lines.join('\n'));
  const blocks = documentedBlocks('clients/go/README.md', 'go');
  expect(blocks).to.have.length(programs.length);
  for (const [index, name] of programs.entries()) {
    const source = Object.entries(replacements).reduce((text, each) => text.replaceAll(...each), blocks[index] ?? '');
    mkdirSync(join(folder, 'source', name), { recursive: true });
    writeFileSync(join(folder, 'source', name, 'main.go'), source);
  }
  await go(['build', '-o', `${folder}/`, './...'], {}, folder);
  return folder;
}

if (needs('go'))
  describe('the Go client', function () {
    this.timeout(limitMs);
    let service: SharedService;
    let outcomes: ReadonlyMap<string, string>;
    let output: string;

    before(async () => {
      service = await sharedService();
      const tested = await go(['test', '-count=1', '-json', '.'], {
        FLOW_HOOKS_URL: service.origin,
        FLOW_HOOKS_ADMIN_KEY: adminKey(),
      });
      output = tested.stdout + tested.stderr;
      const events = [...tested.stdout.matchAll(/^\{.*"Action":"(pass|fail|skip)".*"Test":"(\w+)".*$/gm)];
      outcomes = new Map(events.map(([, action = '', test = '']) => [test, action]));
    });

    const adminKey = () => readFileSync(join(service.dataDirectory, 'admin-key.txt'), 'utf8').trim();
    const { get, post } = administratorOf(() => service);

    for (const { name, sentence } of goTests)
      it(sentence, () => expect(outcomes.get(name), outcomes.get(name) === 'pass' ? '' : output).to.equal('pass'));

    it('is in step with the routes that the service describes', () =>
      go(['run', './internal/generate', '-check', service.origin]));

    it('is formatted, and go vet has no remark', async () => {
      expect((await run('gofmt', ['-l', '.'], { cwd: packageFolder })).stdout).to.equal('');
      await go(['vet', './...']);
    });

    it('has programs in its README that publish, receive and verify, explain and replay', async () => {
      const port = await reusablePort();
      const folder = await compiledPrograms({
        'https://hooks.example.com': service.origin,
        '4000': `${port}`,
        acme: service.orgId,
      });
      const program = async (name: string, env: Readonly<Record<string, string>>) =>
        (await run(join(folder, name), { env })).stdout;
      const { signingSecret } = await subscribe(service, `http://127.0.0.1:${port}/hook`, {
        subscriptionType: 'order.*',
      });
      const env = { SIGNING_SECRETS: `whsec_b3RoZXI= ${signingSecret}` };
      const receiver = startProcess(join(folder, 'receive'), [], { env });
      try {
        const { body } = await post('/api-keys', { name: 'shop', orgId: service.orgId, scopes: ['flows:publish'] });
        const published = await program('publish', { FLOW_HOOKS_KEY: (body as { key: string }).key });
        expect(published).to.equal('order-4711-paid\norder-2-paid invalid_request\n');
        const arrived = (text: string) =>
          receiver
            .stdout()
            .split('\n')
            .filter((line) => line === text).length;
        const lines = ['order-4711-paid order.paid map[total:42]', 'order-1-paid order.paid map[total:3]'];
        await until(() => lines.every((line) => arrived(line) === 1), 'both deliveries');
        const itemsOf = async (path: string) => ((await get(path)).body as { items: readonly unknown[] }).items;
        const listed = () => itemsOf(`/flows?orgId=${service.orgId}`);
        const delivered = () => itemsOf(`/deliveries?orgId=${service.orgId}&state=succeeded`);
        await until(async () => (await listed()).length === 2, 'the list of flow events');
        await until(async () => (await delivered()).length === 2, 'the outcomes');

        const operated = (await program('operate', { FLOW_HOOKS_ADMIN_KEY: adminKey() })).split('\n');
        expect(operated).to.include.members(['order-1-paid order.paid', 'order-4711-paid order.paid', 'completed 2']);
        expect(operated.some((line) => / delivered the listener answered 204 /.test(line))).to.equal(true);
        await until(() => lines.every((line) => arrived(line) === 2), 'the replay');

        const forged = { 'webhook-id': '1', 'webhook-timestamp': `${Math.floor(Date.now() / 1_000)}` };
        const headers = { ...forged, 'webhook-signature': 'v1,AAAA' };
        const { status } = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body: '{}' });
        expect(status).to.equal(401);
      } finally {
        await receiver.stop();
      }
    });
  });
