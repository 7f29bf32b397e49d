import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { flowHooks } from '../../src/cli/program.js';
import { openSqliteEventStore } from '../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { ownEnvironment } from '../support/own-environment.js';
import { runCli } from '../support/service/cli.js';
import { loadedModules, packagesOf } from '../support/service/loaded-packages.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** The packages of which a command has loaded a module, as V8 lists them when the process ends. */
async function packagesLoadedBy(
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; packages: readonly string[] }> {
  const directory = temporaryDirectory();
  const { code } = await runCli({ DATA_DIR: directory, ...settings, NODE_V8_COVERAGE: directory }, ...args);
  const modules = loadedModules(directory);
  expect(modules.some((url) => url.endsWith('/dist/src/cli/main.js'))).to.equal(true);
  return { code, packages: packagesOf(modules) };
}

/** Packages of stores, of servers and of their clients. */
const ofServices = ['@eventstore/db-client', 'better-sqlite3', 'jose', 'koa', 'mongodb', 'pino', 'undici'];

/** Prints the help of these commands, one after the other, in one process. */
const helpOfEach = (program: string, subjects: readonly string[]): string => `
  import { flowHooks } from ${JSON.stringify(program)};
  for (const subject of ${JSON.stringify(subjects)})
    await (await flowHooks({}, { args: [subject, '--help'] })).parseAsync([subject, '--help'], { from: 'user' }).catch(({ code }) => {
      if (code !== 'commander.helpDisplayed') throw new Error(subject + ': ' + code);
    });`;

describe('the packages that flow-hooks loads', () => {
  for (const args of [['--help'], ['--version']]) {
    it(`for ${args.join(' ')} are the parser of the command line alone`, async () =>
      expect(await packagesLoadedBy(args)).to.deep.equal({ code: 0, packages: ['commander'] }));
  }

  it('for the help of any command are those of the command line and of the routes: no store, and no server', async () => {
    const subjects = (await flowHooks({})).commands.map((command) => command.name());
    const program = new URL('../../src/cli/program.js', import.meta.url).href;
    const directory = temporaryDirectory();
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--input-type=module', '--eval', helpOfEach(program, subjects)],
      { env: { ...ownEnvironment(), NODE_V8_COVERAGE: directory }, encoding: 'utf8' },
    );
    expect(status, stderr).to.equal(0);
    for (const subject of subjects) expect(stdout).to.include(`Usage: flow-hooks ${subject} `);
    expect(packagesOf(loadedModules(directory)))
      .to.include('zod')
      .and.not.to.include.oneOf(ofServices);
  });

  it('for wrong usage are the parser of the command line, and the validation of routes', async () =>
    expect(await packagesLoadedBy(['deliveries', 'list'])).to.deep.equal({ code: 2, packages: ['commander', 'zod'] }));

  const publish = ['flows', 'publish', '--org', 'acme', '--type', 'flow.completed'];

  it('for publishing to the embedded store are those that validate and write, and no client of a server', async () => {
    const DATA_DIR = temporaryDirectory();
    await openSqliteEventStore({ directory: DATA_DIR }).close();
    const { code, packages } = await packagesLoadedBy(publish, { DATA_DIR });
    expect(code).to.equal(0);
    expect(packages).to.include.members(['better-sqlite3', 'commander', 'zod']);
    expect(packages).not.to.include.oneOf([
      '@eventstore/db-client',
      '@grpc/grpc-js',
      '@opentelemetry/api',
      'mongodb',
      'pino',
      'undici',
      'jose',
    ]);
  });

  it('for publishing to EventStoreDB are its client, and neither MongoDB’s nor SQLite', async () => {
    const { packages } = await packagesLoadedBy(publish, {
      EVENTSTOREDB_URL: 'esdb://127.0.0.1:1?tls=false',
      MONGODB_URL: 'mongodb://127.0.0.1:1/flow-hooks',
    });
    expect(packages).to.include('@eventstore/db-client');
    expect(packages).not.to.include.oneOf(['mongodb', 'better-sqlite3', 'pino', 'undici', 'jose']);
  });
});
