import { execFile, execFileSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parse } from 'yaml';
import { ownEnvironment } from '../support/own-environment.js';
import { withPythonPackages } from '../support/python/with-python-packages.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const run = promisify(execFile);
const project = fileURLToPath(new URL('../../../', import.meta.url));
const read = (path: string): string => readFileSync(join(project, path), 'utf8');

type Package = { folder: string; kind: string; name: string };
type Decisions = { version: string; packages: readonly Package[] };
const decisions = JSON.parse(read('publishing.json')) as Decisions;
const published = decisions.packages.filter(({ kind }) => kind === 'npm');

/** Decisions that the owner may make. */
const decided = {
  ...decisions,
  publish: true,
  licence: 'MIT',
  holder: 'Acme Ltd.',
  author: { name: 'Acme', email: 'hello@acme.test' },
  security: 'security@acme.test',
  homepage: 'https://hooks.acme.test',
  repository: 'https://git.acme.test/acme/flow-hooks',
  image: 'registry.acme.test/flow-hooks',
};

/** The files of a checkout that packages are made of, with these decisions. */
function checkout(contents: object): string {
  const copy = temporaryDirectory();
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', ':!src', ':!test', ':!bench'];
  for (const path of execFileSync('git', list, { cwd: project, encoding: 'utf8' }).split('\0').filter(Boolean)) {
    cpSync(join(project, path), join(copy, path), { recursive: true });
  }
  writeFileSync(join(copy, 'publishing.json'), JSON.stringify(contents));
  return copy;
}

/** Exit code and standard error. */
const publishing = (folder: string, ...args: readonly string[]) =>
  run(process.execPath, [join(folder, 'tools/publishing.mjs'), ...args]).then(
    () => ({ code: 0, stderr: '' }),
    (error: { code: number; stderr: string }) => ({ code: error.code, stderr: error.stderr }),
  );

/** Nothing answers at the registry: what npm says then needs none. */
async function publishDryRun(folder: string): Promise<string> {
  const offline = ['--registry', 'http://127.0.0.1:1', '--fetch-retries', '0', '--cache', temporaryDirectory()];
  const { stderr } = await run('npm', ['publish', '--dry-run', '--ignore-scripts', '--loglevel=notice', ...offline], {
    cwd: folder,
    env: { ...ownEnvironment(), HOME: temporaryDirectory() },
  });
  return stderr;
}

describe('the packages', function () {
  this.timeout(120_000);

  it('state what publishing.json decides', async () => {
    expect(await publishing(project, '--check')).to.deep.equal({ code: 0, stderr: '' });
  });

  it('are named where they differ from it', async () => {
    const copy = checkout({ ...decisions, version: '1.0.1' });
    const { code, stderr } = await publishing(copy, '--check');
    expect(code).to.equal(1);
    for (const { folder, kind } of decisions.packages) {
      const file = {
        npm: 'package.json',
        zapier: 'package.json',
        python: 'src/flow_hooks/version.py',
        go: 'version.go',
        helm: 'Chart.yaml',
      }[kind];
      expect(stderr).to.include(`${join(folder, file ?? '')} differs`);
    }
  });

  it('cannot be released while the owner has something to decide', async () => {
    const { code, stderr } = await publishing(checkout(decisions), '--release');
    expect(code).to.equal(1);
    expect(stderr).to.include('decide publish');
    for (const { folder } of published)
      expect(JSON.parse(read(join(folder, 'package.json'))), 'npm refuses it').to.include({ private: true });
    expect(read('clients/python/pyproject.toml'), 'PyPI refuses it').to.include('Private :: Do Not Upload');
  });

  it('have a changelog whose first version is theirs', () => {
    for (const { folder, kind } of decisions.packages.filter(({ kind }) => kind !== 'helm')) {
      const [, first] = /^## (\d\S*)/m.exec(read(join(folder, 'CHANGELOG.md'))) ?? [];
      expect(first, `${folder} ${kind}`).to.equal(decisions.version);
    }
  });

  it('have that version in all documents', () => {
    const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: project, encoding: 'utf8' }).trim().split('\n');
    const versions = documents.flatMap((path) =>
      [...read(path).matchAll(/flow-hooks(?:-\w+)*[-/:](\d+\.\d+\.\d+)\b/gi)].map(([, version]) => version),
    );
    expect(versions).to.have.length.above(2);
    expect(new Set(versions)).to.deep.equal(new Set([decisions.version]));
  });
});

describe('the packages, once the owner has decided', function () {
  this.timeout(300_000);
  let folder: string;

  before(async () => {
    folder = checkout(decided);
    expect(await publishing(folder)).to.include({ code: 0 });
  });

  it('may be released', async () => {
    expect(await publishing(folder, '--release')).to.deep.equal({ code: 0, stderr: '' });
  });

  for (const { folder: of, name } of published)
    it(`are accepted by \`npm publish\` as they are, with licence, changelog, README and provenance: ${name}`, async () => {
      const said = await publishDryRun(join(folder, of));
      expect(said).to.include(`name: ${name}`).and.include(`version: ${decisions.version}`);
      expect(said).not.to.match(/auto-corrected|npm warn publish (?!This command requires you to be logged in)/);
      for (const file of ['LICENSE', 'README.md', 'CHANGELOG.md']) expect(said).to.match(new RegExp(`B ${file}$`, 'm'));
      const manifest = JSON.parse(readFileSync(join(folder, of, 'package.json'), 'utf8'));
      expect(manifest).to.deep.include({ license: 'MIT', publishConfig: { access: 'public', provenance: true } });
      expect(manifest.repository.url, 'what a provenance is compared with').to.include(decided.repository);
    });

  it('leave the app for Zapier private: it is pushed to Zapier', () => {
    expect(JSON.parse(readFileSync(join(folder, 'platforms/zapier/package.json'), 'utf8'))).to.include({
      private: true,
    });
  });

  it('give the chart its maintainer and the image', () => {
    const chart = join(folder, 'deploy/helm/flow-hooks');
    expect(parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8'))).to.deep.include({
      version: decisions.version,
      appVersion: decisions.version,
      maintainers: [decided.author],
    });
    expect(readFileSync(join(chart, 'ci/example-values.yaml'), 'utf8')).to.include(decided.image);
  });

  it('give the Go package the name of the repository, also in its README', () => {
    for (const file of ['go.mod', 'README.md'])
      expect(readFileSync(join(folder, 'clients/go', file), 'utf8'))
        .to.include('git.acme.test/acme/flow-hooks/clients/go')
        .and.not.include('github.com/example');
  });

  const requirements = join(project, 'clients/python/requirements-release.txt');
  withPythonPackages('the Python package', { requirements, limitMs: 300_000 }, (packages) => {
    const python = async (...args: readonly string[]) => {
      const env = { ...ownEnvironment(), PYTHONPATH: packages, HOME: temporaryDirectory(), NO_COLOR: '1' };
      return (await run('python3', ['-m', ...args], { env })).stdout;
    };

    it('is built and accepted by `twine check --strict`, with its licence and addresses', async () => {
      const dist = temporaryDirectory();
      await python('build', '--no-isolation', '--outdir', dist, join(folder, 'clients/python'));
      const name = `flow_hooks_client-${decisions.version}`;
      const files = [`${name}.tar.gz`, `${name}-py3-none-any.whl`].map((file) => join(dist, file));
      const checked = await python('twine', 'check', '--strict', ...files);
      expect(checked.match(/PASSED/g)).to.have.length(2);
      const metadata = execFileSync('tar', ['-xzOf', files[0] ?? '', `${name}/PKG-INFO`], { encoding: 'utf8' });
      expect(metadata)
        .to.match(/^License-Expression: MIT$/m)
        .and.match(/^License-File: LICENSE$/m);
      expect(metadata).to.match(
        /^Project-URL: Changelog, https:\/\/git\.acme\.test\S+\/clients\/python\/CHANGELOG\.md$/m,
      );
      expect(metadata).not.to.include('Private :: Do Not Upload');
    });
  });
});

describe('the bill of materials', function () {
  this.timeout(120_000);

  it('is made offline from the lock file: what users get, with licences, in the format of CycloneDX', async () => {
    const folder = temporaryDirectory();
    for (const file of ['package.json', 'package-lock.json', 'tools/sbom.mjs'])
      cpSync(join(project, file), join(folder, file));
    const offline = { npm_config_registry: 'http://127.0.0.1:1', npm_config_fetch_retries: '0' };
    const env = { ...ownEnvironment(), ...offline, npm_config_cache: temporaryDirectory() };
    const { stdout } = await run('npm', ['run', '--silent', 'sbom'], { cwd: folder, env, maxBuffer: 16_777_216 });
    type Component = { name: string; version: string; licenses?: readonly unknown[] };
    const { bomFormat, metadata, components } = JSON.parse(stdout) as {
      bomFormat: string;
      metadata: { component: { purl: string } };
      components: readonly Component[];
    };
    expect(bomFormat).to.equal('CycloneDX');
    expect(metadata.component.purl).to.equal(`pkg:npm/flow-hooks@${decisions.version}`);
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: object };
    const names = components.map(({ name }) => name);
    expect(names).to.include.members(Object.keys(dependencies));
    expect(names).not.to.include.any.members(['mocha', 'typescript', 'playwright-core']);
    const unlicensed = components.filter(({ licenses }) => !licenses?.length).map(({ name }) => name);
    expect(unlicensed.filter((name) => !/^(node-|htmx\.org$)/.test(name))).to.deep.equal([]);
  });
});

describe('the workflow of a release', () => {
  type Job = {
    needs?: string | readonly string[];
    permissions?: Record<string, string>;
    steps: readonly { run?: string }[];
  };
  const { jobs } = parse(read('.github/workflows/release.yml')) as { jobs: Record<string, Job> };
  const commandsOf = (job: string) => (jobs[job]?.steps ?? []).map(({ run: command }) => command ?? '').join('\n');

  it('publishes nothing before the decisions, the lint and the tests have passed', () => {
    const before = commandsOf('check');
    for (const command of ['tools/publishing.mjs --release', 'npm run lint', 'npm test'])
      expect(before).to.include(command);
    for (const [name, { needs }] of Object.entries(jobs).filter(([job]) => job !== 'check' && job !== 'release')) {
      expect([needs].flat(), name).to.include('check');
    }
  });

  it('publishes each package without a stored token, with a provenance', () => {
    const folders = read('.github/workflows/release.yml')
      .match(/folder: \[(.*)\]/)?.[1]
      ?.replaceAll("'", '')
      .split(', ');
    expect(folders).to.have.members(published.map(({ folder }) => folder));
    for (const job of ['npm', 'pypi']) expect(jobs[job]?.permissions).to.include({ 'id-token': 'write' });
    expect(commandsOf('image')).to.include('--provenance=mode=max');
    expect(commandsOf('release')).to.include('sbom');
  });

  it('is joined by a check of the dependencies of each npm package', () => {
    const ci = parse(read('.github/workflows/ci.yml')) as {
      jobs: { dependencies: { strategy: { matrix: { folder: string[] } } } };
    };
    const folders = decisions.packages
      .filter(({ kind }) => kind === 'npm' || kind === 'zapier')
      .map(({ folder }) => folder);
    expect(ci.jobs.dependencies.strategy.matrix.folder).to.have.members(folders);
    const { updates } = parse(read('.github/dependabot.yml')) as {
      updates: { directory?: string; directories?: string[] }[];
    };
    const watched = updates.flatMap(({ directory, directories = [] }) => [directory, ...directories]);
    const expected = decisions.packages
      .filter(({ kind }) => kind !== 'helm')
      .map(({ folder }) => (folder === '.' ? '/' : `/${folder}`));
    expect(watched).to.include.members(expected);
  });
});
