import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { readConfig } from '../../src/service/config/config.js';
import { walk, welcome } from '../../src/service/welcome.js';
import { reusablePort } from '../eventstoredb-double/src/reusable-port.js';
import { ownEnvironment } from '../support/own-environment.js';
import { startProcess } from '../support/process.js';
import { runCliForJson } from '../support/service/cli.js';
import { type ServiceProcess, startService } from '../support/service/service.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const project = new URL('../../../', import.meta.url);
const cli = fileURLToPath(new URL('bin/flow-hooks.js', project));

/** The commands that a start prints. */
const printedWalk = (printed: string): string => {
  const lines = printed.split('\n');
  const commands = lines.slice(lines.findIndex((line) => line.startsWith('A tour,')) + 2);
  return commands.map((line) => line.slice(2)).join('\n');
};

/** Runs a script as one block; returns its output after all its processes have closed their output. */
async function runBlock(script: string, environment: NodeJS.ProcessEnv = {}): Promise<string> {
  const env = { ...ownEnvironment(), ...environment };
  const { ended, printed } = startProcess('sh', ['-c', script], { env, cwd: fileURLToPath(project) });
  await ended;
  return printed();
}

describe('the walk that a start in development mode prints', function () {
  this.timeout(120_000);

  it('receives its event with a valid signature, and nothing after unsubscribing, when pasted as one block', async () => {
    const dataDirectory = join(temporaryDirectory(), 'it’s a "data" directory, $HOME\'s');
    mkdirSync(dataDirectory);
    const service: ServiceProcess = await startService({ dataDirectory });
    try {
      const script = printedWalk(service.printed())
        .replaceAll('npx flow-hooks', `'${process.execPath}' '${cli}'`)
        .replaceAll('4000', String(await reusablePort()));
      const printed = await runBlock(script);
      expect(printed.match(/received \S+ at \/hook, signature \w+/g), printed).to.have.length(1);
      expect(printed).to.match(/received \S+ at \/hook, signature valid\n {2}\{.*"data":\{"total":42\}/);
      expect(printed)
        .to.match(/succeeded/)
        .and.to.match(/\npublished /);
      expect(printed.match(/ListenerSubscribed|ListenerUnsubscribed/g), printed).to.have.length(2);
      expect(await runCliForJson(dataDirectory, 'deliveries', 'list', '--org', 'acme')).to.have.length(1);
    } finally {
      await service.stop();
    }
  });

  it('removes its listener, also if only npx gets the signal', async () => {
    const [listen = '', wait = '', ...others] = walk({
      origin: '',
      hooksPrefix: '',
      dataDirectory: temporaryDirectory(),
    });
    const script = [listen, wait, others.at(-1)].join('\n').replaceAll('4000', String(await reusablePort()));
    const npm = { npm_config_cache: temporaryDirectory(), npm_config_offline: 'true' };
    expect(await runBlock(script, npm)).to.match(/\nflow-hooks listens: a listener receives POST requests\n/);
  });

  it('is the one in the README', () => {
    const origin = 'http://127.0.0.1:3000';
    const commands = walk({ origin, hooksPrefix: '/api/hooks', dataDirectory: undefined });
    const readme = readFileSync(new URL('README.md', project), 'utf8');
    expect(readme).to.include(`\`\`\`sh\n${commands.join('\n')}\n\`\`\`\n`);
    expect(printedWalk(welcome(readConfig({}), origin))).to.equal(commands.join('\n'));
  });

  it('requires the same stores in the terminal if they are not in the data directory', () => {
    const stores = { EVENTSTOREDB_URL: 'esdb://a.example', MONGODB_URL: 'mongodb://b.example/c' };
    const printed = welcome(readConfig(stores), 'http://127.0.0.1:3000');
    expect(printed).to.match(/^A tour, .*with the same EVENTSTOREDB_URL and MONGODB_URL/m);
    const inProduction = welcome({ ...readConfig(stores), mode: 'production' }, 'http://127.0.0.1:3000');
    expect(inProduction).to.include('data in EventStoreDB and MongoDB, serving on');
  });

  it('is not printed if a login is configured, nor is the sign-in page', () => {
    const configured = {
      LOGIN_URLS: '{"*":"https://login.example.com/"}',
      LOGIN_ISSUER: 'https://login.example.com',
      LOGIN_JWKS: 'https://login.example.com/jwks.json',
      LOGIN_AUDIENCE: 'flow-hooks',
    };
    const printed = welcome(readConfig(configured), 'http://127.0.0.1:3000');
    expect(printed)
      .to.include('Sign-in    http://127.0.0.1:3000/oauth2')
      .and.not.to.match(/\/sign-in|npx/);
  });
});
