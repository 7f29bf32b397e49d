import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { oldestNodeLine } from '../../src/kernel/node-version.js';

const project = new URL('../../../', import.meta.url);

/** Makes the process one of Node 20, in which to load a native module is a failure. */
const asNode20 = `data:text/javascript,${encodeURIComponent(`
  Object.defineProperty(process.versions, 'node', { value: '20.20.2' });
  process.dlopen = () => { throw new Error('a native module was loaded'); };
`)}`;

const startOnNode20 = (path: string, ...args: readonly string[]) => {
  const program = fileURLToPath(new URL(path, project));
  return spawnSync(process.execPath, ['--import', asNode20, program, ...args], { encoding: 'utf8', env: {} });
};

describe('a Node that is too old', () => {
  it('is refused by the service with one line that names the command that works', () => {
    const { status, stdout, stderr } = startOnNode20('dist/src/main.js');
    expect(stderr).to.equal(
      'flow-hooks: needs Node 22 or later, and this is 20.20.2: use `npm start`, which runs on the Node that npm installs with it\n',
    );
    expect({ status, stdout }).to.deep.equal({ status: 2, stdout: '' });
  });

  it('is refused by the command line, with the words that were given', () => {
    const { status, stdout, stderr } = startOnNode20('bin/flow-hooks.js', 'flows', 'explain', "it's");
    expect(stderr).to.match(/^flow-hooks: needs Node 22 .*`npx flow-hooks flows explain 'it'\\''s'`.*\n$/);
    expect({ status, stdout }).to.deep.equal({ status: 2, stdout: '' });
  });

  it('is what package.json says', () => {
    const { engines } = JSON.parse(readFileSync(new URL('package.json', project), 'utf8')) as {
      engines: { node: string };
    };
    expect(engines.node).to.equal(`>=${oldestNodeLine}`);
  });
});
