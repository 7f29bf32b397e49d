import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { reusablePort } from '../eventstoredb-double/src/reusable-port.js';
import { documentedBlocks } from '../support/documented-blocks.js';
import { ownEnvironment } from '../support/own-environment.js';
import { serviceAt } from '../support/service/service.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { until } from '../support/until.js';

const cli = fileURLToPath(new URL('../../../bin/flow-hooks.js', import.meta.url));

type Substitution = { documented: string; here: string };

/** Replaces each documented text, which has to occur. */
const substitute = (block: string, substitutions: readonly Substitution[]): string =>
  substitutions.reduce((text, { documented, here }) => {
    expect(text, documented).to.include(documented);
    return text.replaceAll(documented, here);
  }, block);

/** Runs a block in an empty directory, as pasted into a shell that goes on afterwards: what it started keeps running. */
function paste(block: string, directory: string): { shell: ChildProcess; printed: () => string } {
  const shell = spawn('sh', ['-c', `${block}\necho the block has ended\nwait`], {
    cwd: directory,
    env: ownEnvironment(),
    detached: true, // its own process group, so that the service ends with the shell
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
  }
  return { shell, printed: () => printed };
}

async function stop({ pid = 0, exitCode }: ChildProcess, ended: Promise<unknown>): Promise<void> {
  if (exitCode === null) process.kill(-pid, 'SIGTERM');
  await ended;
}

describe('the block in docs/installing.md that starts the service in production', function () {
  this.timeout(120_000);
  const directory = temporaryDirectory();
  let shell: ChildProcess;
  let ended: Promise<unknown>;
  let printed: () => string;
  let port: number;

  before(async () => {
    port = await reusablePort();
    const block = substitute(documentedBlocks('docs/installing.md', 'sh').join('\n'), [
      { documented: 'npx flow-hooks', here: `'${process.execPath}' '${cli}'` }, // the test does not run in a checkout
      { documented: '3000', here: String(port) },
      { documented: 'https://login.example.com/jwks.json', here: 'http://127.0.0.1:1/jwks.json' }, // no request leaves here
    ]);
    ({ shell, printed } = paste(block, directory));
    ended = once(shell, 'close');
    await until(() => printed().includes('the block has ended') || shell.exitCode !== null, 'the end of the block');
  });
  after(() => stop(shell, ended));

  it('makes key files that no other user can read', () => {
    const secrets = join(directory, 'secrets');
    expect(statSync(secrets).mode & 0o777).to.equal(0o700);
    expect(readdirSync(secrets)).to.have.members(['master-keys.txt', 'signing-keys.json', 'admin-keys.txt']);
    for (const name of readdirSync(secrets)) expect(statSync(join(secrets, name)).mode & 0o777, name).to.equal(0o600);
    expect(printed()).not.to.include('other users can read');
  });

  it('starts a healthy service in production mode, without a warning about missing admin keys', async () => {
    const service = serviceAt(`http://127.0.0.1:${port}`);
    expect((await service.fetch('/healthz')).status, printed()).to.equal(200);
    expect((await service.fetch('/sign-in')).status, 'the page of development mode').to.equal(404);
    expect(printed()).not.to.match(/no admin key/);
  });

  it('activates the integration task and registers a client, whose secret it prints', () => {
    expect(printed()).to.match(/fhc_[\w-]{43}/);
    const [list] = /\{"items":.*?\}(?=\s*$|\{"level":)/m.exec(printed()) ?? []; // curl ends no line: the log may follow on the same
    const { items } = JSON.parse(list ?? '{}') as { items: readonly { clientId: string }[] };
    expect(items.map(({ clientId }) => clientId)).to.deep.equal(['zapier']);
  });

  it('leaves an owner’s admin key that the admin API accepts, and no other', async () => {
    const service = serviceAt(`http://127.0.0.1:${port}`);
    const [, , key] = readFileSync(join(directory, 'secrets/admin-keys.txt'), 'utf8').trim().split(':');
    const task = (bearer: string) =>
      service.fetch('/admin/api/tasks', { headers: { authorization: `Bearer ${bearer}` } });
    expect((await task(key ?? '')).body).to.deep.include({ state: 'active' });
    expect((await task(`${key}x`)).status).to.equal(401);
  });
});
