import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { temporaryDirectory } from '../support/temporary-directory.js';

const main = fileURLToPath(new URL('../../src/main.js', import.meta.url));

/** Would start a service that listens, and so would not end by itself. */
const run = (...args: readonly string[]) => {
  const env = { DATA_DIR: temporaryDirectory(), PORT: '0' };
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
    encoding: 'utf8',
    timeout: 60_000,
    env,
  });
  return { status, stdout, stderr };
};

describe('the arguments of the service’s process', () => {
  it('print help for --help, and start nothing', () => {
    const { status, stdout, stderr } = run('--help');
    expect(stdout)
      .to.match(/^Usage: node dist\/src\/main\.js\n/)
      .and.to.include('flow-hooks --help');
    expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
    expect(run('-h').stdout).to.equal(stdout);
  });

  it('are refused by name when they are anything else', () => {
    for (const args of [['--port', '80'], ['serve'], ['--help', '--version']]) {
      const { status, stdout, stderr } = run(...args);
      expect(stderr)
        .to.include(`unknown argument '${args.find((each) => each !== '--help')}'`)
        .and.to.include('Usage:');
      expect({ status, stdout }).to.deep.equal({ status: 2, stdout: '' });
    }
  });
});
