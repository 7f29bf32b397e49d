import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { startProcess } from '../support/process.js';
import { startReceiver, verify } from '../support/receivers-of-listeners/receiver.js';
import { publish, subscribe, unsubscribe } from '../support/service/journey.js';
import { originOf, serviceAt } from '../support/service/service.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const run = promisify(execFile);
const project = fileURLToPath(new URL('../../../', import.meta.url));

/** The path of a user's machine: npm's scripts add the `node_modules/.bin` of this checkout. */
const path = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((directory) => !directory.includes('node_modules'))
  .join(delimiter);
const environment = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'))),
  PATH: path,
};

describe('the package that npm pack makes', function () {
  this.timeout(300_000);
  let files: readonly string[];
  const directory = temporaryDirectory();

  before(async () => {
    const packed = temporaryDirectory();
    const { stdout } = await run(
      'npm',
      ['pack', '--ignore-scripts', '--json', '--loglevel=error', '--pack-destination', packed],
      { cwd: project, env: environment },
    );
    files = packedFiles(stdout);
    const [archive = ''] = readdirSync(packed);
    await run('npm', ['init', '--yes'], { cwd: directory, env: environment });
    const options = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
    await run('npm', ['install', ...options, join(packed, archive)], { cwd: directory, env: environment });
  });

  it('holds programs and documentation: no tests, no benchmarks, no sources', () => {
    expect(files).to.include.members(['package.json', 'README.md', 'bin/flow-hooks.js', 'dist/src/main.js']);
    expect(files).to.include.members(['docs/installing.md', 'deploy/flow-hooks.service', 'deploy/kubernetes.yaml']);
    const others = files.filter((file) => !/^(clients|platforms)\//.test(file));
    expect(others.filter((file) => /^(dist\/)?(test|bench|tools)\/|^src\/|\.ts$/.test(file))).to.deep.equal([]);
    expect(files.filter((file) => file.includes('node_modules'))).to.deep.equal([]);
  });

  it('contains the files that its documents link to or tell readers to copy, except pictures', () => {
    const documents = files.filter((file) => file.endsWith('.md'));
    const named = documents.flatMap((document) => namedIn(document));
    expect(named).to.include.members(['platforms/zapier', 'platforms/n8n/README.md', 'clients/python/README.md']);
    const packed = (path: string) => files.some((file) => file === path || file.startsWith(`${path}/`));
    expect(named.filter((path) => !packed(path) && !path.endsWith('.webp'))).to.deep.equal([]);
  });

  it('brings a Node that the service runs on', async () => {
    const { stdout } = await run('npx', ['node', '--version'], { cwd: directory, env: environment });
    const { engines } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as {
      engines: { node: string };
    };
    expect(Number.parseInt(stdout.slice(1), 10)).to.be.at.least(Number.parseInt(engines.node.slice(2), 10));
  });

  it('serves with `npx flow-hooks serve` in an empty folder: from subscribing to a delivery, until it is removed', async () => {
    const receiver = await startReceiver();
    const npx = startProcess('npx', ['flow-hooks', 'serve'], { cwd: directory, env: { ...environment, PORT: '0' } });
    try {
      const service = serviceAt(await originOf(npx));
      expect(npx.stdout().split('\n')[0]).to.match(/^Starting Flow Hooks \S+ in development mode on Node \d/);
      expect(existsSync(join(directory, 'data'))).to.equal(true);
      const { signingSecret } = await subscribe(service, `${receiver.origin}/hook`);
      const id = await publish(service, { type: 'flow.completed', data: { total: 42 } });
      const [received] = await receiver.has(1);
      expect(received && verify(received, signingSecret)).to.deep.include({ id, data: { total: 42 } });
      expect((await unsubscribe(service, `${receiver.origin}/hook`)).status).to.equal(200);
    } finally {
      await npx.stop();
      await npx.ended; // the service has ended too: it holds the same pipe
      await receiver.close();
    }
  });
});

/** The paths of the project's files that a document links to outside of its examples, and that its commands copy. */
function namedIn(document: string): readonly string[] {
  const text = readFileSync(join(project, document), 'utf8');
  const links = [...text.replace(/^```.*?^```/gms, '').matchAll(/\]\(((?:\.\.?\/)*[\w./-]+\.[a-z]+)(?:#[^)]*)?\)/g)];
  const copied = [...text.matchAll(/^cp -r (\S+)/gm)];
  return [...links.map(([, path = '']) => join(dirname(document), path)), ...copied.map(([, path = '']) => path)];
}

/** npm prints an array, or since version 12 an object by package name. */
function packedFiles(json: string): readonly string[] {
  const [{ files }] = Object.values(JSON.parse(json) as Record<string, { files: { path: string }[] }>) as [
    { files: { path: string }[] },
  ];
  return files.map(({ path }) => path);
}
